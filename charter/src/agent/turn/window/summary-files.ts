import type { Summary } from "../../../delivery/baseline.ts";
import type { Message, ToolCall } from "../../../delivery/model.ts";
import { oneLine } from "../../../prompt/character.ts";

/** The files that were read and changed, by their paths, the latest last. */
type SummaryFiles = NonNullable<Summary["files"]>;

/** The tools of a workspace that read one file or change it. */
const tools: Readonly<Record<string, keyof SummaryFiles>> = { read: "read", edit: "changed", write: "changed" };

/** So many of each are told. */
const most = 40;

/** What calls did to files, as it is on record, with what is known of the time before. Calls that failed did nothing. */
export function summaryFiles(messages: readonly Message[], before?: SummaryFiles): SummaryFiles {
  const failed = new Set(
    messages.flatMap((message) =>
      message.role === "tool" ? message.results.filter((one) => one.failed).map(({ call }) => call) : [],
    ),
  );
  const files = { read: [...(before?.read ?? [])], changed: [...(before?.changed ?? [])] };
  for (const message of messages)
    for (const call of message.role === "assistant" ? message.calls : []) {
      const what = tools[call.name];
      const path = what && !failed.has(call.id) ? pathOf(call) : undefined;
      if (what && path !== undefined) files[what] = [...files[what].filter((one) => one !== path), path].slice(-most);
    }
  return files;
}

function pathOf({ input }: ToolCall): string | undefined {
  try {
    const { path } = Object(JSON.parse(input)) as { readonly path?: unknown };
    return typeof path === "string" && path !== "" ? oneLine(path) : undefined;
  } catch {
    return undefined;
  }
}

/** A line each; none where there is nothing to tell. */
export function filesText({ read, changed }: SummaryFiles): string[] {
  return [
    ...(read.length > 0 ? [`Files read: ${read.join(", ")}`] : []),
    ...(changed.length > 0 ? [`Files changed: ${changed.join(", ")}`] : []),
  ];
}
