import { defined } from "../../prompt/argument.ts";
import { coreSlug } from "../../sources/core-memory/memory-key.ts";
import { operation } from "../operation.ts";
import { colours } from "../print/colour.ts";
import { columns, timeText } from "../print/columns.ts";
import { changes } from "../print/verdict.ts";
import { withCoreEvents } from "../sections/core-events.ts";
import { listHistory } from "../sections/history.ts";
import { residentName } from "./core-fields.ts";
import { residentIn } from "./resident.ts";

const { limit, before, words } = listHistory.input;

/** No relay is asked, and no key is needed. */
export const coreHistory = operation({
  name: "core.history",
  says: "List the revisions of a core memory, and the event of each",
  command: "core history",
  examples: [["charter core history", "list its revisions, the event of each, and whether it was published"]],
  who: "operator",
  input: { agent: residentName, limit, before, words },
  answer: listHistory.answer,
  run: async ({ store }, { agent: name, limit, before }) => {
    const agent = await residentIn(store, name);
    const found = await store.history.listWhole({ agent }, coreSlug, { limit, ...defined({ before }) });
    const amendments = await withCoreEvents(store, found);
    const more = amendments.length === limit && (amendments.at(-1)?.revision ?? 1) > 1;
    return { agent, user: null, section: coreSlug, amendments, more };
  },
  lines: ({ agent, amendments, more }, { words }) => {
    if (amendments.length === 0) return [`The core memory of ${agent} has not been amended.`];
    const cells = amendments.map(({ revision, at, actor, event, reason, erasedAt }) => [
      String(revision),
      timeText(at),
      actor,
      event?.id.slice(0, 12) ?? "–",
      event?.state ?? "–",
      erasedAt === null ? (reason ?? "") : `(erased ${timeText(erasedAt)})`,
    ]);
    const names = ["revision", "time (UTC)", "by", "event", "relays", "reason"];
    const [head = "", ...list] = columns(names, cells, process.stdout);
    const shown = amendments.flatMap(({ before, after }, at) => [
      list[at] as string,
      ...(words && before !== null && after !== null ? changes(before, after, coreSlug).slice(2) : []),
    ]);
    const { dim } = colours(process.stdout);
    return [head, ...shown, ...(more ? [dim(`There is more: --before ${amendments.at(-1)?.revision}`)] : [])];
  },
});
