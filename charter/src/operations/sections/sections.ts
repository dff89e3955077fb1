import { operationKinds, type Scope } from "../../amend/amendment.ts";
import { defined } from "../../prompt/argument.ts";
import { allSections, sectionMutability } from "../../prompt/charter.ts";
import { coreSlug } from "../../sources/core-memory/memory-key.ts";
import type { RecordedAmendment } from "../../store/amendments/amendments.ts";
import { readPage } from "../../store/home/query.ts";
import type { RecordedPublication } from "../../store/publications/publications.ts";
import type { Store } from "../../store/store.ts";
import { agentScopeFor, sectionFor, seesSection } from "../caller.ts";
import { agent, flag, list, more, object, oneOf, page, scope, text, time, user, whole } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";
import { colours, columns, timeText } from "../print/columns.ts";
import { changes } from "../print/verdict.ts";
import { actor } from "../proposal-fields.ts";
import { amending, type SectionFacts, section, sectionFacts, sectionName } from "./amend.ts";
import { trySection } from "./trial.ts";

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
    // Pages are shorter than elsewhere, because each amendment comes with both texts.
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
    const entries = await history.listWhole(scope, name, page);
    const onRelays = name === coreSlug && snapshot.declaredTurn.memory !== undefined;
    const mutability = sectionMutability(placed.section, placed.layer);
    const kind = mutability === "fixed" ? "is fixed" : "is generated per turn";
    return {
      ...pageOf(scope, name, onRelays ? await withCoreEvents(context.store, entries) : entries, limit),
      ...(typeof mutability !== "object" && { note: `“${name}” ${kind}: nobody can amend it.` }),
    };
  },
  lines: ({ agent, user, section, amendments, more, note }, { before, words }) => {
    const owner = user === null ? agent : `${agent}, for ${user},`;
    const never = before === undefined ? "has not been amended" : `has no amendment before revision ${before}`;
    if (amendments.length === 0) return [note ?? `“${section}” of ${owner} ${never}.`];
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

/**
 * Scope of a section that is read without loading its charter: an operator can name a section as it is stored, and the charter
 * may be code that is not trusted.
 */
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
  const missingText = erasedAt === null ? "  Its text is missing: run charter verify." : "  Its text was erased.";
  return before === null || after === null ? [missingText] : changes(before, after, section).slice(2);
}

const listSections = operation({
  name: "sections.list",
  says: "List an agent's sections, with their current text",
  about: "An operator sees all sections; a user sees their own copies of those that each user has.",
  route: "GET /agents/{agent}/sections",
  tool: true,
  who: "person",
  input: { agent, user, ...page },
  answer: object({ sections: list(section).told(), more }).named("SectionList"),
  statuses: { 200: "In the order of the prompt." },
  run: async (context, { agent, user, ...asked }) => {
    const scope = await agentScopeFor(context, agent, user);
    const host = await context.host();
    const snapshot = await host.snapshot(scope);
    const visibleSections = allSections(snapshot.declaredTurn.charter).filter((placed) =>
      seesSection(context.caller, placed),
    );
    const { rows, more } = await readPage(
      async ({ limit, offset }) => visibleSections.slice(offset, offset + limit),
      asked,
    );
    return { sections: await sectionFacts(host, snapshot, rows), more };
  },
});

const showSection = operation({
  name: "sections.show",
  says: "Get a section, with its current text",
  route: "GET /agents/{agent}/sections/{section}",
  tool: true,
  who: "person",
  input: { agent, section: sectionName, user },
  answer: section,
  statuses: { 200: "The section." },
  run: async (context, asked) => {
    const { placed, snapshot } = await sectionFor(context, asked);
    const [facts] = await sectionFacts(await context.host(), snapshot, [placed]);
    return facts as SectionFacts;
  },
});

export const operations = [listSections, showSection, listHistory, trySection, ...amending];

/** The event of a revision. `elsewhere`: not published from this store, but with the same key, and found on `relay`. */
type CoreEvent = {
  readonly id: string;
  readonly state: RecordedPublication["state"] | "elsewhere";
  readonly relay: string | null;
};

const pageSize = 1000;

/** Adds to each revision of a core memory, newest first, its event. No relay is asked, and no key is needed. */
export async function withCoreEvents(
  { publications }: Pick<Store, "publications">,
  amendments: readonly RecordedAmendment[],
): Promise<(RecordedAmendment & { readonly event: CoreEvent | null })[]> {
  const [newest, oldest] = [amendments[0], amendments.at(-1)];
  if (!newest || !oldest) return [];
  const sent = new Map<number, RecordedPublication>();
  for (let offset = 0; ; offset += pageSize) {
    const page = await publications.list({ agent: newest.scope.agent, section: coreSlug, limit: pageSize, offset });
    for (const one of page) if (!sent.has(one.revision)) sent.set(one.revision, one);
    if (page.length < pageSize || (page.at(-1)?.revision ?? 0) < oldest.revision) break;
  }
  return amendments.map((amendment) => ({ ...amendment, event: eventOf(amendment, sent.get(amendment.revision)) }));
}

function eventOf({ reason }: RecordedAmendment, sent: RecordedPublication | undefined): CoreEvent | null {
  if (sent) return { id: sent.id, state: sent.state, relay: null };
  const [, id, relay] = /^Written elsewhere.*\bevent ([0-9a-f]{64}) on (\S+)\.$/.exec(reason ?? "") ?? [];
  return id === undefined ? null : { id, state: "elsewhere", relay: relay ?? null };
}
