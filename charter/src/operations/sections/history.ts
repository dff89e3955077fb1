import type { Scope } from "../../amend/amendment.ts";
import { operationKinds } from "../../amend/amendment.ts";
import { defined } from "../../prompt/argument.ts";
import { sectionMutability } from "../../prompt/charter.ts";
import { coreSlug } from "../../sources/core-memory/memory-key.ts";
import { agent, more, scope, user } from "../common-fields.ts";
import { flag, list, object, oneOf, text, time, whole } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";
import { colours } from "../print/colour.ts";
import { columns, timeText } from "../print/columns.ts";
import { changes } from "../print/verdict.ts";
import { actor } from "../proposals/proposal-fields.ts";
import { agentScopeFor, sectionFor } from "../scope-for.ts";
import { withCoreEvents } from "./core-events.ts";
import { sectionName } from "./section-fields.ts";

const amendment = object({
  scope: scope.told(),
  section: text().told(),
  revision: whole().told(),
  operation: oneOf(operationKinds).told(),
  actor: actor.told(),
  turn: text().told().nullable(),
  at: time().told(),
  reason: text().told().nullable(),
  previous: text("The digest of the amendment before it."),
  digest: text().told(),
  key: text().told().optional(),
  erasedAt: time().told().nullable(),
  before: text("Null if the text was erased.").told().nullable(),
  after: text().told().nullable(),
  event: object(
    {
      id: text(),
      state: oneOf(["published", "waiting", "superseded", "replaced", "elsewhere"]),
      relay: text().nullable(),
    },
    "Of a core memory on relays: its event. `superseded`: someone else's newer one is current. `replaced`: a later change went out instead. `elsewhere`: it was written with the same key, not from here, and found on `relay`.",
  )
    .nullable()
    .optional(),
}).named("Amendment", "An accepted proposal, recorded permanently.");

export const listHistory = operation({
  name: "sections.history",
  says: "List a section's amendments",
  about: "Newest first. For the next page, give `before` the last revision of this one.",
  route: "GET /agents/{agent}/sections/{section}/history",
  command: "history <section?>",
  examples: [
    "charter history --agent ada soul",
    "charter history --agent ada --user bo instructions --words",
    "charter history --agent ada 6 --limit 100 --before 901 --json",
  ],
  tool: true,
  who: "person",
  input: {
    agent,
    user,
    section: sectionName.option("name", "s"),
    // Both texts of each amendment are told, so a page is shorter than elsewhere.
    limit: whole("How many rows.", { least: 1, most: 100 }).usual(20).option("n"),
    before: whole("Only what came before this revision.", { least: 0 }).option("revision").optional(),
    words: flag("Show each change as a diff.").only("command").optional(),
  },
  answer: object({
    agent: text().told(),
    user: text().told().nullable(),
    section: text().told(),
    amendments: list(amendment).told(),
    more,
    note: text("Of a section that nobody can amend: why.").optional(),
  }).named("History", "Newest first."),
  statuses: { 200: "The amendments, complete." },
  run: async (context, { limit, before, ...asked }) => {
    const { history } = context.store;
    const page = { limit, ...defined({ before }) };
    const known = await knownIn(context, asked);
    const listed = known && (await history.listWhole(known, asked.section, page));
    if (known && listed?.length) return pageOf(known, asked.section, listed, limit);
    const { scope, placed, snapshot } = await sectionFor(context, asked);
    const { name } = placed.section;
    const found = await history.listWhole(scope, name, page);
    const onRelays = name === coreSlug && snapshot.declaredTurn.memory !== undefined;
    const mutability = sectionMutability(placed.section, placed.layer);
    const kind = mutability === "fixed" ? "is fixed" : "is generated per turn";
    return {
      ...pageOf(scope, name, onRelays ? await withCoreEvents(context.store, found) : found, limit),
      ...(typeof mutability !== "object" && { note: `“${name}” ${kind}: nobody can amend it.` }),
    };
  },
  lines: ({ agent, user, section, amendments, more, note }, { before, words }) => {
    const whose = user === null ? agent : `${agent}, for ${user},`;
    const never = before === undefined ? "has not been amended" : `has no amendment before revision ${before}`;
    if (amendments.length === 0) return [note ?? `“${section}” of ${whose} ${never}.`];
    const names = ["revision", "time (UTC)", "by", "operation", "turn", "reason"];
    const cells = amendments.map(({ revision, at, actor, operation, turn, reason, erasedAt }) => [
      ...[String(revision), timeText(at), actor, operation, turn ?? "–"],
      erasedAt === null ? (reason ?? "") : `(erased ${timeText(erasedAt)})`,
    ]);
    const [head = "", ...list] = columns(names, cells, process.stdout);
    return [
      head,
      ...list.flatMap((line, at) => [line, ...(words ? wordsOf(amendments[at] as RowOfHistory) : [])]),
      ...(more ? [colours(process.stdout).dim(`There is more: --before ${amendments.at(-1)?.revision}`)] : []),
    ];
  },
});

type RowOfHistory = (typeof amendment)["holds"];

/** An operator who names a section as it is kept is told its history without its charter: that may be code nobody trusts. */
async function knownIn(
  context: OperationContext,
  { agent, user, section }: { readonly agent: string; readonly user?: string | undefined; readonly section: string },
): Promise<Scope | undefined> {
  if (context.caller.kind !== "operator" || section === coreSlug) return undefined;
  return agentScopeFor(context, agent, user);
}

function pageOf<Row extends { readonly revision: number }>(
  { agent, user = null }: { readonly agent: string; readonly user?: string | null },
  section: string,
  amendments: readonly Row[],
  limit: number,
) {
  // Revisions count from 1 without a gap.
  const more = amendments.length === limit && (amendments.at(-1)?.revision ?? 1) > 1;
  return { agent, user, section, amendments, more };
}

function wordsOf({ before, after, section, erasedAt }: RowOfHistory): string[] {
  const gone = erasedAt === null ? "  Its text is missing: run charter verify." : "  Its text was erased.";
  return before === null || after === null ? [gone] : changes(before, after, section).slice(2);
}
