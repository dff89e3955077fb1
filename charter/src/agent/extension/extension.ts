import type { CallContexts } from "./call-context.ts";
import { type ExtensionFault, type ReportFault, sentence } from "./fault.ts";
import { catchUnhandled } from "./unhandled.ts";

/** The events an extension can listen to, as pi names them. */
export const eventNames = [
  "input",
  "before_agent_start",
  "context",
  "tool_call",
  "tool_result",
  "resources_discover",
] as const;

export type EventName = (typeof eventNames)[number];

export type Handler = (event: never, ctx: object) => unknown;

/** One extension while it lives: what it listens to, and how it is spoken of. */
export type Extension = {
  readonly path: string;
  /** Its file's name, with its directory's where the file is only an index. */
  readonly name: string;
  readonly handlers: { readonly event: EventName; readonly handler: Handler }[];
  readonly reportFault: ReportFault;
  /** Runs code of it: what that leaves running and nobody waits for is told when it fails. */
  readonly run: <Result>(work: () => Result) => Result;
  /** What its handlers and tools are given to look around with. */
  ctx: object;
  /** It could not be loaded, or was closed: nothing it does has an effect any more. */
  closed: boolean;
};

export function extensionName(path: string): string {
  const { basename, dirname, join } = process.getBuiltinModule("node:path");
  const name = basename(path);
  return /^index\.\w+$/.test(name) ? join(basename(dirname(path)), name) : name;
}

/** A fault as a sentence. */
export function faultText({ extension, message }: Pick<ExtensionFault, "extension" | "message">): string {
  return `The extension “${extensionName(extension)}” ${message}`;
}

/** What would be said over and over, though the extension did it once. */
const once: readonly string[] = ["beyond", "stray"];

/** What is said against it is reported, in a turn also as a notice of it. */
export function createExtension(
  path: string,
  occasions: CallContexts,
  report: (fault: ExtensionFault) => void,
): Extension {
  const name = extensionName(path);
  const told = new Set<string>();
  const extension: Extension = {
    path,
    name,
    handlers: [],
    ctx: {},
    closed: false,
    reportFault: (code, message) => {
      if (extension.closed || (once.includes(code) && told.has(message))) return;
      if (once.includes(code)) told.add(message);
      try {
        report({ extension: path, code, message });
      } catch {}
      occasions.current()?.notice({ code, message: faultText({ extension: path, message }) });
    },
    run: (work) =>
      catchUnhandled(
        (because) => extension.reportFault("stray", sentence(`left something running that failed: ${because}`)),
        work,
      ),
  };
  return extension;
}
