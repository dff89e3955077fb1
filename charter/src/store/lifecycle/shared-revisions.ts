import { createAmendment } from "../../amend/amendment.ts";
import { type AuthoredSpan, blame } from "../../amend/ledger.ts";
import type { Operation } from "../../amend/operation.ts";
import { rethrowUnlessProblem } from "../../prompt/problem.ts";
import type { Actor } from "../../prompt/section.ts";
import { type AmendmentRow, amendments, insertAmendment, standings } from "../amendments/amendments.ts";
import type { AmendmentContext } from "../amendments/judge.ts";
import { createPropose } from "../amendments/propose.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { matching, ownRows } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import type { UserSelector } from "../scope.ts";
import { sha256 } from "../texts/packing.ts";
import { eraseRows } from "./sweep.ts";

/** A revision of text that all users read, and that came of one user's turn or was proposed by them. */
export type SharedRevision = {
  readonly agent: string;
  readonly section: string;
  readonly revision: number;
  readonly at: string;
  readonly user: string;
  readonly turn: string | null;
  /** Shows that a person approved it. */
  readonly approved: boolean;
  /** Shows that words of it are in the section's current text. */
  readonly stands: boolean;
  /** Shows that its text is in the section's history. */
  readonly kept: boolean;
  /** Number of kept requests of others since: their receipts may hold its words, until they are deleted by retention. */
  readonly sentSince: number;
  /** Why words of it could not be taken out of the current text. */
  readonly because?: string;
};

type RevisionRow = Pick<AmendmentRow, "agent" | "section" | "revision" | "at" | "turn" | "erased_at"> & {
  readonly user: string;
  readonly approvals: number;
  readonly sent: number;
};

/** Finds the shared revisions that came of turns: of one user, or of everyone. */
export async function findShared(
  deps: Pick<StoreDeps, "texts">,
  db: Database,
  { user, agent }: Partial<UserSelector>,
): Promise<SharedRevision[]> {
  const sent = sql`(select count(*) from steps s where s.agent = a.agent and s.erased_at is null and s.at >= a.at`;
  const rows = await db.all<RevisionRow>(sql`
    select a.agent, a.section, a.revision, a.at, a.turn, a.erased_at, t.user_id as "user",
      (select count(*) from held h where h.agent = a.agent and h.section = a.section and h.revision = a.revision
        and h.status = 'approved' and (h.shared = 1 or h.user_id = '')) as approvals,
      ${sent} and s.user_id <> t.user_id) as sent
    from amendments a join turns t on t.id = a.turn and t.agent = a.agent
    where a.user_id = '' and t.user_id <> '' and ${matching({ "t.user_id": user, "a.agent": agent })}
    union all
    select a.agent, a.section, a.revision, a.at, a.turn, a.erased_at, h.user_id, 1, ${sent} and s.user_id <> h.user_id)
    from held h join amendments a on a.agent = h.agent and a.user_id = '' and a.section = h.section
      and a.revision = h.revision and a.turn is null
    where h.shared = 1 and h.status = 'approved' and h.user_id <> '' and ${matching({ "h.user_id": user, "h.agent": agent })}
    order by 1, 2, 3`);
  const found: SharedRevision[] = [];
  for (const some of Map.groupBy(rows, ({ agent, section }) => JSON.stringify([agent, section])).values()) {
    const { spans } = await historyOf(deps, db, some[0] as RevisionRow);
    const standing = new Set(spans.map(({ revision }) => revision));
    for (const { erased_at, approvals, sent, ...row } of some)
      found.push({
        ...row,
        approved: approvals > 0,
        stands: standing.has(row.revision),
        kept: erased_at === null,
        sentSince: Number(sent),
      });
  }
  return found;
}

/** Current text of a section that all users read, which revision wrote what of it, and what it was before the first. */
type SharedHistory = {
  readonly original: string;
  readonly text: string;
  readonly rows: readonly AmendmentRow[];
  /** Stretches that hold more than white space and punctuation. */
  readonly spans: readonly AuthoredSpan[];
};

async function historyOf(
  { texts }: Pick<StoreDeps, "texts">,
  db: Database,
  { agent, section }: Pick<SharedRevision, "agent" | "section">,
): Promise<SharedHistory> {
  const rows = await db.all<AmendmentRow>(sql`select * from amendments
    where ${ownRows({ agent })} and section = ${section} and erased_at is null order by revision`);
  const [first] = rows;
  if (!first) return { original: "", text: "", rows, spans: [] };
  const bodies = await texts.getAll(db, "", [first.before_digest, ...rows.map(({ after_digest }) => after_digest)]);
  const written = rows.flatMap(({ revision, after_digest }) => {
    const after = bodies.get(after_digest);
    return after === undefined ? [] : [{ revision, after }];
  });
  const original = bodies.get(first.before_digest) ?? "";
  const text = written.at(-1)?.after ?? original;
  const spans = blame({ text: original, revision: 0 }, written);
  return {
    original,
    text,
    rows,
    spans: spans.filter(({ start, end }) => /[\p{L}\p{N}\p{S}]/u.test(text.slice(start, end))),
  };
}

/** Makes the context in which a change of an agent's shared text is judged. */
export type SharedContext = (agent: string) => AmendmentContext | Promise<AmendmentContext>;

const reason = "What came of an erased user's turns was taken out.";

/**
 * Takes a user's words out of the text that all read, as the operator: back to the revision before them, else without them, else
 * to the original. Returns why that was not possible, by section.
 */
export async function takeOutShared(
  deps: StoreDeps,
  who: UserSelector,
  contextOf: SharedContext,
): Promise<ReadonlyMap<string, string>> {
  const propose = createPropose(deps);
  const reasons = new Map<string, string>();
  const standing = async () =>
    Map.groupBy(
      (await deps.home.read("everything", (db) => findShared(deps, db, who))).filter(({ stands }) => stands),
      placeOf,
    );
  for (const way of [goingBack, without, () => ({ kind: "reset" }) as const])
    for (const [place, revisions] of await standing()) {
      const { agent, section } = revisions[0] as SharedRevision;
      const own = new Set(revisions.map(({ revision }) => revision));
      try {
        const operation = way(await deps.home.read("everything", (db) => historyOf(deps, db, { agent, section })), own);
        const context = { ...(await contextOf(agent)), scope: { agent } };
        const outcome = await propose(context, { section, operation, actor: "operator", reason });
        if ("refusals" in outcome) reasons.set(place, outcome.refusals.map(({ because }) => because).join(" "));
      } catch (error) {
        rethrowUnlessProblem(error);
        reasons.set(place, error.message);
      }
    }
  return reasons;
}

export function placeOf({ agent, section }: Pick<SharedRevision, "agent" | "section">): string {
  return JSON.stringify([agent, section]);
}

/** Goes back to before the user's revisions, where no other came after them. */
function goingBack(history: SharedHistory, own: ReadonlySet<number>): Operation {
  const last = history.rows.findLast(({ revision }) => !own.has(revision))?.revision ?? 0;
  if ([...own].some((revision) => revision < last)) return without(history, own);
  return last === 0 ? { kind: "reset" } : { kind: "revert", to: last };
}

function without({ text, spans }: SharedHistory, own: ReadonlySet<number>): Operation {
  const cut = spans.filter(({ revision }) => own.has(revision));
  return { kind: "rewrite", content: textWithout(text, cut) };
}

/** Leaves out stretches of a text, and the lines of which nothing is left. */
function textWithout(text: string, cut: readonly AuthoredSpan[]): string {
  let start = 0;
  const kept: string[] = [];
  for (const line of text.split("\n")) {
    const end = start + line.length;
    let rest = "";
    let from = start;
    for (const one of cut.filter((one) => one.start < end && one.end > start)) {
      rest += text.slice(from, Math.max(from, one.start));
      from = Math.max(from, Math.min(one.end, end));
    }
    rest += text.slice(from, end);
    if (rest === line || /\S/.test(rest)) kept.push(rest);
    start = end + 1;
  }
  return kept.join("\n");
}

/**
 * Erases the text of a section's whole history, as of a user's own, and begins it anew with the current text. What came of other
 * users' turns is written anew under their turns, so that it is found when one of them is erased.
 */
export async function beginAnew(
  deps: Pick<StoreDeps, "texts">,
  db: Database,
  { agent, section }: Pick<SharedRevision, "agent" | "section">,
  at: string,
): Promise<void> {
  const scope = { agent };
  const history = await historyOf(deps, db, { agent, section });
  const { original, text, rows, spans } = history;
  const others = (await findShared(deps, db, { agent })).filter((one) => one.section === section && one.stands);
  const where = sql`${ownRows(scope)} and section = ${section}`;
  await eraseRows(db, amendments, where, at);
  await eraseRows(db, standings, where, at);
  let last = { ...(rows.at(-1) as Pick<AmendmentRow, "revision" | "digest">), text: original };
  const write = async (actor: Actor, turn: string | null, after: string) => {
    if (after === last.text) return;
    const revision = last.revision + 1;
    const change = { operation: "rewrite", actor, turn, reason: "Written anew after its history was erased." } as const;
    const chained = { scope, section, revision, at, before: last.text, after, previous: last.digest };
    const amendment = createAmendment({ ...change, ...chained }, sha256);
    await insertAmendment(db, deps.texts, amendment);
    recordEvent(db, at, { scope, kind: "amended", detail: { section, operation: "rewrite", actor, revision } });
    last = { revision, digest: amendment.digest, text: after };
  };
  const before = (revision: number) =>
    textWithout(
      text,
      spans.filter((one) => one.revision >= revision && others.some((other) => other.revision === one.revision)),
    );
  await write("operator", null, before(0));
  for (const [index, { revision, turn }] of others.entries()) {
    const actor = rows.find((row) => row.revision === revision)?.actor ?? "agent";
    const next = others[index + 1]?.revision;
    await write(actor, turn, next === undefined ? text : before(next));
  }
}
