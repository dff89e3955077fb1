import type { Scope } from "../../amend/amendment.ts";
import { isFenced } from "../../prompt/fence.ts";
import type { Home } from "../home/database.ts";
import { reachAround } from "../home/query.ts";
import { listOf, sql } from "../home/sql.ts";
import { attachmentsOf } from "../turns/attachments.ts";
import type { HeldCall } from "../turns/held-calls.ts";
import type { StepRow } from "../turns/steps.ts";
import type { TurnRow } from "../turns/turn.ts";
import type { HeldProposal } from "./held-proposal.ts";

/** Cause of something that waits for approval: its turn, and the untrusted text that was in it. */
export type Cause = {
  readonly turn: string;
  readonly session: string | null;
  /** Input of the turn. */
  readonly input: string;
  readonly tainted: boolean;
  /**
   * Origin of the request: the `user`'s own input, or untrusted text in a `message`, a `file` or the result of a `tool`.
   * `conversation`: the text came in an earlier turn. `other`: it was elsewhere in the prompt.
   */
  readonly from: "user" | "message" | "file" | "tool" | "conversation" | "other";
  /** Tool that brought the untrusted text, if one did. */
  readonly tool: string | null;
  /** Untrusted text as the model was given it, or the names of files. */
  readonly text: string | null;
  /** Turn that the untrusted text came in: an earlier one for `conversation`. */
  readonly source: string;
  /** Shows that `input` or `text` is cut here; the turn has them whole. */
  readonly shortened: boolean;
};

/** A proposal or call that waits: the turn it was asked for in, the time, and for a call its step. */
export type CauseQuery = {
  readonly id: string;
  readonly scope: Scope;
  readonly turn: string | undefined;
  readonly at: string;
  readonly step?: number;
};

export function causeQuery(held: HeldProposal | HeldCall): CauseQuery {
  const { id, scope, at } = held;
  if ("tool" in held) return { id, scope, at, turn: held.turn, step: held.step };
  return { id, scope, at, turn: held.proposal.turn };
}

type CauseTurn = Pick<TurnRow, "id" | "agent" | "user_id" | "session" | "input" | "attachments" | "state" | "tainted">;
type CauseStep = Pick<StepRow, "turn" | "step" | "at" | "result">;

/** Untrusted text in a turn, and what brought it. */
type Taint = Pick<Cause, "from" | "tool" | "text">;

/** Maximum number of turns that are read together. */
const maxCausesAtOnce = 50;

/** Finds the causes of many, by id, in a few queries however many there are. Erased turns have none. */
export async function findCauses(home: Home, asked: readonly CauseQuery[]): Promise<ReadonlyMap<string, Cause>> {
  const causes = new Map<string, Cause>();
  for (let from = 0; from < asked.length; from += maxCausesAtOnce) {
    const some = asked.slice(from, from + maxCausesAtOnce);
    for (const [id, cause] of await causesOf(home, some)) causes.set(id, cause);
  }
  return causes;
}

async function causesOf(home: Home, asked: readonly CauseQuery[]): Promise<[string, Cause][]> {
  const scopes = asked.map(({ scope }) => scope);
  // An agent's own copy may have been changed in the turn of any user.
  const reach = scopes.some(({ user }) => user === undefined) ? "everything" : reachAround(scopes);
  return home.read(reach, async (db) => {
    const columns = sql`select id, agent, user_id, session, input, attachments, state, tainted from turns where state <> 'erased'`;
    const ids = asked.flatMap(({ turn }) => turn ?? []);
    const turns = await db.all<CauseTurn>(sql`${columns} and id in ${listOf(ids)}`);
    const tainted = turns.filter((turn) => turn.tainted === 1);
    const sessions = [...new Set(tainted.flatMap(({ session }) => session ?? []))];
    // A turn that brought nothing untrusted itself has it from the first turn in its conversation that did.
    const firsts = await db.all<CauseTurn>(sql`${columns} and id in (select min(id) from turns
      where tainted = 1 and session in ${listOf(sessions)} group by session, agent, user_id)`);
    const turnIds = [...new Set([...tainted, ...firsts].map(({ id }) => id))];
    const steps = await db.all<CauseStep>(sql`select turn, step, at, result from steps
      where turn in ${listOf(turnIds)} and erased_at is null and result is not null order by turn, step`);
    return asked.flatMap((one): [string, Cause][] => {
      const turn = turns.find(({ id }) => id === one.turn);
      if (!turn || !isVisible(one, turn)) return [];
      const first = firsts.find(
        ({ session, id, ...whose }) => session === turn.session && id !== turn.id && isSameUser(whose, turn),
      );
      return [[one.id, causeOf(one, turn, first, steps)]];
    });
  });
}

/** Tells whether a cause may be shown: what belongs to one user never shows another user's turn. */
function isVisible({ scope: { agent, user } }: CauseQuery, turn: CauseTurn): boolean {
  return turn.agent === agent && (user === undefined || turn.user_id === user);
}

/** Compares the users of two turns: a turn may name any session, so the session proves nothing. */
function isSameUser(one: Pick<CauseTurn, "agent" | "user_id">, other: Pick<CauseTurn, "agent" | "user_id">): boolean {
  return one.agent === other.agent && one.user_id === other.user_id;
}

/** Finds what led to a request, from the records. */
export function causeOf(
  asked: CauseQuery,
  turn: CauseTurn,
  first: CauseTurn | undefined,
  steps: readonly CauseStep[],
): Cause {
  const { id, session } = turn;
  const own = steps.filter((one) => one.turn === id);
  const tainted = turn.tainted === 1;
  const here = tainted ? (inInput(turn) ?? inResults(before(own, asked))) : undefined;
  const earlier =
    tainted && !here && first && first.id < id
      ? (inInput(first) ?? inResults(steps.filter((one) => one.turn === first.id)))
      : undefined;
  const late = tainted && !here && !earlier ? inResults(own) : undefined;
  const taint: Taint = here ??
    (earlier && { ...earlier, from: "conversation" as const }) ??
    late ?? { from: tainted ? "other" : "user", tool: null, text: null };
  const text = taint.text === null ? null : opening(taint.text);
  const input = opening(turn.input);
  return {
    ...{ turn: id, session, input, tainted, from: taint.from, tool: taint.tool, text },
    source: earlier && first ? first.id : id,
    shortened: input !== turn.input || text !== taint.text,
  };
}

/** Returns the steps whose results the asking step could have read: those before it. */
function before(steps: readonly CauseStep[], { at, step }: CauseQuery): readonly CauseStep[] {
  const asking = step ?? steps.filter((one) => one.at <= at).at(-1)?.step ?? 0;
  return steps.filter((one) => one.step < asking);
}

function inInput({ input, attachments }: CauseTurn): Taint | undefined {
  if (attachments !== null) {
    const names = attachmentsOf(attachments).map(({ name, mediaType }) => name ?? mediaType);
    return { from: "file", tool: null, text: names.join("\n") };
  }
  return isFenced(input) ? { from: "message", tool: null, text: input } : undefined;
}

function inResults(steps: readonly CauseStep[]): Taint | undefined {
  for (const { result } of steps)
    for (const { name, output } of resultsIn(result))
      if (isFenced(output)) return { from: "tool", tool: name, text: output };
  return undefined;
}

type Result = { readonly name: string; readonly output: string };

function resultsIn(result: string | null): readonly Result[] {
  if (result === null) return [];
  const { results = [] } = JSON.parse(result) as { readonly results?: readonly Result[] };
  return results.filter(({ name, output }) => typeof name === "string" && typeof output === "string");
}

const maxTextChars = 4_000;

/** Returns the beginning of a long text, without cutting a character in half. */
function opening(text: string): string {
  if (text.length <= maxTextChars) return text;
  const end = /[\uD800-\uDBFF]/.test(text[maxTextChars - 1] as string) ? maxTextChars - 1 : maxTextChars;
  return text.slice(0, end);
}
