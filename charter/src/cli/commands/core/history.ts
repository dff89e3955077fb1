import { withCoreEvents } from "../../../server/core-events.ts";
import { coreSlug } from "../../../sources/core-memory/slug.ts";
import { colours } from "../../print/colour.ts";
import { columns, timeText } from "../../print/columns.ts";
import { changes } from "../../print/verdict.ts";
import { agentWithCore, coreOptions } from "../../shared/agent-core.ts";
import { noMoreWords, parseOptions, wholeNumber } from "../../shared/options.ts";
import { withStore } from "../../shared/store.ts";

const options = {
  ...coreOptions,
  limit: { type: "string" },
  before: { type: "string" },
  words: { type: "boolean" },
} as const;

type Entry = Awaited<ReturnType<typeof withCoreEvents>>[number];

/** The revisions of a core memory, newest first, each with its event. No relay is asked, and no key is needed. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("core", args, options);
  noMoreWords("core", positionals);
  const limit = wholeNumber("limit", values.limit) ?? 20;
  const before = wholeNumber("before", values.before);
  return withStore(values, async (store) => {
    const { name: agent } = await agentWithCore(store, values.agent);
    const page = { limit, ...(before === undefined ? {} : { before }) };
    const amendments = await withCoreEvents(store, await store.history.listWhole({ agent }, coreSlug, page));
    const more = amendments.length === limit && (amendments.at(-1)?.revision ?? 1) > 1;
    if (values.json) process.stdout.write(`${JSON.stringify({ agent, section: coreSlug, amendments, more })}\n`);
    else process.stdout.write(`${lines(agent, amendments, more, values.words === true).join("\n")}\n`);
    return 0;
  });
}

function lines(agent: string, entries: readonly Entry[], more: boolean, words: boolean): string[] {
  if (entries.length === 0) return [`The core memory of ${agent} has not been amended.`];
  const cells = entries.map(({ revision, at, actor, event, reason, erasedAt }) => [
    String(revision),
    timeText(at),
    actor,
    event?.id.slice(0, 12) ?? "–",
    event?.state ?? "–",
    erasedAt === null ? (reason ?? "") : `(erased ${timeText(erasedAt)})`,
  ]);
  const names = ["revision", "time (UTC)", "by", "event", "relays", "reason"];
  const [head = "", ...list] = columns(names, cells, process.stdout);
  const shown = entries.flatMap(({ before, after }, at) => [
    list[at] as string,
    ...(words && before !== null && after !== null ? changes(before, after, coreSlug).slice(2) : []),
  ]);
  const { dim } = colours(process.stdout);
  return [head, ...shown, ...(more ? [dim(`There is more: --before ${entries.at(-1)?.revision}`)] : [])];
}
