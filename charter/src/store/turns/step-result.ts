import type { Scope } from "../../amend/amendment.ts";
import { badArgument, isList, isRecord, isText, kindOf } from "../../prompt/argument.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import { missesCache, type StepResult } from "../../prompt/step-result.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent, turnEnded } from "../event.ts";
import type { Database } from "../home/database.ts";
import { matching, ownRows, setting } from "../home/query.ts";
import { joinQueries, type Query, raw, sql } from "../home/sql.ts";
import { scopeOf } from "../home/table.ts";
import type { UsageRow } from "./list-turns.ts";
import { type SessionTouch, touchSession } from "./session.ts";
import { addExpense, addedCost, type Expense } from "./spending.ts";
import { stepResultDigest } from "./steps.ts";
import {
  isRunning,
  ownTurn,
  renewTurn,
  type Turn,
  type TurnHints,
  type TurnReason,
  type TurnRow,
  taintColumns,
  turnOf,
  unknownTurn,
} from "./turn.ts";

type StepResultInput = TurnHints & {
  readonly turn: string;
  readonly step: number;
  readonly result: StepResult;
  /** Cost of the step, given once. */
  readonly spent?: Expense;
};

/** Stores the result of a step, and returns the state that its turn has by then. */
export async function recordStepResult(
  db: Database,
  scope: Scope,
  at: string,
  { turn, step, result, spent, tainted, foreign }: StepResultInput,
): Promise<Turn["state"]> {
  checkStepResult(result);
  const known = await findStep(db, turn, step);
  const facts = known && factsIn(known, { turn, step, result });
  const { state, lease_seconds, counted } = await keepResult(db, scope, known, { turn, step, result }, facts);
  const lease = state === "running" ? lease_seconds : null;
  const cost = spent ? [addedCost([spent])] : [];
  // A late result is part of its session's history all the same, and so is the mark for foreign text.
  renewTurn(db, { id: turn, lease, tainted, foreign }, at, [...(facts?.turn ?? []), ...(facts?.sums ?? []), ...cost]);
  if (spent) addExpense(db, scope, spent, counted > 0);
  return state;
}

/** Stores a result in its step, in the caller's transaction. The result of a step that was erased meanwhile is dropped. */
async function keepResult(
  db: Database,
  scope: Scope,
  known: KnownStep | undefined,
  { turn, step, result }: KeptStep,
  facts: StepFacts | undefined,
): Promise<KnownStep> {
  if (known?.agent !== scope.agent || known.user_id !== (scope.user ?? "")) throw unknownTurn(turn);
  const { digest } = known;
  if (digest === null)
    throw new Problem("unknown-turn", `The turn “${turn}” has no step ${step}.`, "See it with `charter turns`.");
  const body = JSON.stringify(result);
  const kept = setting({
    result: sql`case when erased_at is null then ${body} end`,
    result_digest: sql`case when erased_at is null then ${stepResultDigest(digest, body)} else result_digest end`,
  });
  setIn(db, "steps", [kept, ...(facts?.step ?? [])], sql`turn = ${turn} and step = ${step}`);
  return known;
}

type KeptStep = { readonly turn: string; readonly step: number; readonly result: StepResult };

/**
 * Sets the columns that lists show of a step and its turn, in the caller's transaction. The same result may come any number of
 * times.
 */
export async function keepStepFacts(db: Database, kept: KeptStep): Promise<void> {
  const { turn, step } = kept;
  const known = await findStep(db, turn, step);
  const facts = known && factsIn(known, kept);
  setIn(db, "steps", facts?.step ?? [], sql`turn = ${turn} and step = ${step}`);
  setIn(db, "turns", [...(facts?.turn ?? []), ...(facts?.sums ?? [])], sql`id = ${turn}`);
}

function setIn(db: Database, table: "steps" | "turns", sets: readonly Query[], which: Query): void {
  if (sets.length > 0) db.send(sql`update ${raw(table)} set ${joinQueries(sets, ", ")} where ${which}`);
}

/** Changes that a result makes to its step and to its turn; `sums` are set in the turn after the step is written. */
type StepFacts = { readonly step: Query[]; readonly turn: Query[]; readonly sums: Query[] };

function factsIn(known: KnownStep, { turn, result }: KeptStep): StepFacts {
  const tools = usesTools(result) && known.tools === 0 ? [raw("tools = 1")] : [];
  const counted = usageIn(result);
  if (columns.every((column) => known[column] === counted[column])) return { step: [], turn: tools, sums: [] };
  const { left_input: input, left_read: read, left_written: written, left_stable: stable } = known;
  const request = { input: counted.input_tokens, read: counted.read_tokens, written: counted.written_tokens };
  const missed = missesCache({ input, read, written, stable }, request) ? 1 : 0;
  const step = [setting({ ...counted, missed })];
  // A first report is added to the turn's sums; a repeated one has them computed again from all steps.
  if (columns.some((column) => known[column] !== null)) return { step, turn: tools, sums: [summedSteps(turn)] };
  const added = columns.flatMap((column) => {
    const count = counted[column];
    return count === null ? [] : [sql`${raw(column)} = coalesce(${raw(column)}, 0) + ${count}`];
  });
  return { step, turn: [...tools, ...added, ...(missed ? [raw("missed = 1")] : [])], sums: [] };
}

/** Returns the assignment that sets a turn's sums from its steps. */
export function summedSteps(turn: string): Query {
  return sql`(input_tokens, read_tokens, written_tokens, output_tokens, missed) =
    (select sum(input_tokens), sum(read_tokens), sum(written_tokens), sum(output_tokens), coalesce(max(missed), 0)
      from steps where turn = ${turn})`;
}

/** Returns the provider's counts; null where it gave none, or where the number is impossible. */
function usageIn({ usage }: StepResult): UsageRow {
  const sound = (count: number | null | undefined) =>
    Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : null;
  return {
    input_tokens: sound(usage?.input),
    read_tokens: sound(usage?.read),
    written_tokens: sound(usage?.written),
    output_tokens: sound(usage?.output),
  };
}

function usesTools({ answer, results = [], ownTools = [], acted }: StepResult): boolean {
  return acted === true || [answer?.calls ?? [], results, ownTools].some((list) => list.length > 0);
}

const columns = ["input_tokens", "read_tokens", "written_tokens", "output_tokens"] as const;

type KnownStep = UsageRow &
  Pick<TurnRow, "agent" | "user_id" | "state" | "lease_seconds" | "tools"> & {
    digest: string | null;
    /** Shows whether the agent's turns and their costs are counted in `totals`: 1 or 0. */
    counted: number;
  } & Record<"left_input" | "left_read" | "left_written" | "left_stable", number | null>;

/**
 * Reads a turn, what is stored of the step so far, and what the last counted request before it in the session left in the
 * provider's cache. Without a digest there is no such step.
 */
function findStep(db: Database, turn: string, step: number): Promise<KnownStep | undefined> {
  return db.one<KnownStep>(
    sql`select o.agent, o.user_id, o.state, o.lease_seconds, o.tools, s.digest,
        (select count(*) from totals where totals.agent = o.agent) as counted,
        s.input_tokens, s.read_tokens, s.written_tokens, s.output_tokens, b.input_tokens as left_input,
        b.read_tokens as left_read, b.written_tokens as left_written, b.stable as left_stable
      from turns o left join steps s on s.turn = o.id and s.step = ${step}
      left join steps b on b.agent = s.agent and b.number =
        (select p.number from turns t join turns u on u.session = t.session and length(u.session) <= 200
            and (u.started_at, u.id) <= (t.started_at, t.id)
          join steps p on p.turn = u.id and (u.id <> t.id or p.step < ${step})
          where t.id = ${turn} and length(t.session) <= 200 and p.read_tokens is not null
          order by u.started_at desc, u.id desc, p.step desc limit 1)
      where o.id = ${turn}`,
  );
}

/** End of a turn, and what is stored along with it. */
export type TurnEnd = TurnHints & {
  readonly reply?: string | null;
  readonly state?: "answered" | "failed" | "interrupted";
  /** Reason of a failure. */
  readonly because?: TurnReason;
  /** The result of its last step. */
  readonly step?: { readonly step: number; readonly result: StepResult };
  readonly session?: SessionTouch;
  readonly spent?: Expense | readonly Expense[];
};

/**
 * Ends a turn: stores its reply, the result of its last step, its session and its cost, all or nothing.
 *
 * A turn ends once. If others marked it as interrupted, it stays so, and an event says that it was late; its results and its cost
 * are stored all the same. Of an erased turn no text is stored, but its cost counts.
 */
export async function closeTurn(db: Database, turn: string, scope: Scope, at: string, end: TurnEnd): Promise<Turn> {
  const { reply = null, state = "answered", because, tainted, foreign, step, session, spent = [] } = end;
  const marks = taintColumns({ tainted, foreign });
  const expenses = "day" in spent ? [spent] : spent;
  const kept = step && { ...step, turn };
  if (kept) checkStepResult(kept.result);
  const known = kept && (await findStep(db, turn, kept.step));
  const facts = known && factsIn(known, kept as KeptStep);
  const ended = setting({
    reply,
    state,
    because: because === undefined ? null : JSON.stringify(because),
    ...endOf(db, at),
    leased_until: null,
  });
  const all = joinQueries([ended, ...marks, addedCost(expenses), ...(facts?.turn ?? [])], ", ");
  const row = await db.one<TurnRow>(sql`update turns set ${all}
    where id = ${turn} and ${ownRows(scope)} and state = 'running' returning *`);
  const closed = row ? turnOf(row) : await ownTurn(db, turn, scope);
  const late = !row && closed.state === "interrupted";
  if (!row && !late && closed.state !== "erased") return closed;
  if (kept) await keepResult(db, scope, known, kept, facts);
  const after = row ? (facts?.sums ?? []) : [...(facts?.turn ?? []), ...(facts?.sums ?? []), addedCost(expenses)];
  setIn(db, "turns", [...after, ...(row ? [] : marks)], sql`id = ${turn}`);
  if (row && session && closed.session !== null) touchSession(db, { id: closed.session, scope }, at, session);
  for (const one of expenses) addExpense(db, scope, one, known?.counted !== 0);
  const record = (kind: string, detail: object) => recordEvent(db, at, { scope, kind, turn, detail: { ...detail } });
  if (late) record("turn-late", { state });
  if (row && state === "interrupted")
    record("turn-interrupted", { runner: closed.runner, because: "its runner stopped it" });
  if (row) record(turnEnded, { state });
  return late && step ? ownTurn(db, turn, scope) : closed;
}

/**
 * Returns the columns of a turn's end. A turn that was queued behind another of its session may start a little in the future, and
 * does not end before it starts.
 */
function endOf({ dialect }: Database, at: string) {
  const isBefore = sql`started_at > ${at}`;
  return {
    ended_at: sql`case when ${isBefore} then started_at else ${at} end`,
    duration_ms: sql`case when ${isBefore} then 0 else ${dialect.millisSince("started_at", at)} end`,
  };
}

/** Agent whose turns are checked, and a test whether a process is known to have died. */
export type InterruptOptions = { readonly agent?: string; readonly isGone?: (runner: string) => boolean };

/**
 * Marks the turns that no process works on any more, and returns them; each is marked once, even if several processes do this at
 * a time.
 *
 * A turn that renewed its lease in between goes on: the lease is checked again when the mark is made.
 */
export async function interruptTurns(
  { home, now }: Pick<StoreDeps, "home" | "now">,
  { agent, isGone = () => false }: InterruptOptions,
): Promise<Turn[]> {
  const running = await home.read("everything", (db) =>
    db.all<TurnRow>(sql`select * from turns where ${matching({ agent })} and ${raw(isRunning)}
      and (runner is not null or leased_until is not null) order by id`),
  );
  const at = now();
  const silent = ({ leased_until }: TurnRow) => leased_until !== null && leased_until < at;
  const hasDied = ({ runner }: TurnRow) => runner !== null && isGone(runner);
  const dead = running.filter((row) => silent(row) || hasDied(row)).map((row) => ({ row, late: silent(row) }));
  if (dead.length === 0) return [];
  return home.write("everything", async (db) => {
    const marked: Turn[] = [];
    for (const { row, late } of dead) {
      const still = late ? sql`leased_until < ${at}` : sql`runner = ${row.runner}`;
      const taken = await db.one<TurnRow>(sql`update turns set state = 'interrupted',
          ${setting(endOf(db, at))}, leased_until = ${null} where id = ${row.id} and state = 'running' and ${still} returning *`);
      if (!taken) continue;
      const because = late ? "its lease ran out" : "its runner is gone";
      const about = { scope: scopeOf(row), turn: row.id };
      recordEvent(db, at, { ...about, kind: "turn-interrupted", detail: { runner: row.runner, because } });
      recordEvent(db, at, { ...about, kind: turnEnded, detail: { state: "interrupted" } });
      marked.push(turnOf(taken));
    }
    return marked;
  });
}

/** Checks a value, and throws what is wrong with it. `path` is its place in the result. */
type Check = (value: unknown, path: string) => void;

/**
 * Refuses a result that the session's history could not be made from: once recorded, it would break every later turn, or be
 * missing from the history unnoticed. The error names the field that does not fit.
 */
export function checkStepResult(result: StepResult): void {
  checkResult(result, "");
  const { answer, results = [] } = result;
  // A receiver that ran its calls while it answered need not name them in its answer.
  const calls = answer?.calls ?? [];
  // A call may have no result yet: a loop may run its calls side by side.
  let at = -1;
  const strayed =
    calls.length > 0
      ? results.findIndex(({ call }) => {
          at = calls.findIndex(({ id }, index) => index > at && id === call);
          return at === -1;
        })
      : -1;
  if (strayed === -1) return;
  const path = `results[${strayed}].call`;
  const hint = "Give the results in the order of the calls, each with the id of its call.";
  throw badArgument(`The \`${path}\` of a step's result is no call that comes after the one before it.`, hint);
}

function is(fits: (value: unknown) => boolean, wanted: string): Check {
  return (value, path) => {
    if (!fits(value)) throw misfit(path, kindOf(value), `Give ${wanted}.`);
  };
}

function listOf(check: Check): Check {
  return (value, path) => {
    if (!isList(value)) throw misfit(path, kindOf(value), "Give a list, [] for none.");
    for (const [index, one] of (value as readonly unknown[]).entries()) check(one, `${path}[${index}]`);
  };
}

/** Accepts an object with these fields and no others; the fields of the second list are optional. */
function objectOf(fields: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>>): Check {
  const all = { ...fields, ...optional };
  const shown = [...Object.keys(fields), ...Object.keys(optional).map((field) => `${field}?`)].join(", ");
  return (value, path) => {
    if (!isRecord(value)) throw misfit(path, kindOf(value), `Give { ${shown} }.`);
    const within = (field: string) => (path === "" ? field : `${path}.${field}`);
    const unknown = Object.keys(value).find((field) => value[field] !== undefined && !Object.hasOwn(all, field));
    const known = Object.keys(all).filter((field) => value[field] !== undefined || Object.hasOwn(fields, field));
    const lacking = Object.keys(fields).some((field) => value[field] === undefined);
    if (unknown !== undefined || lacking) refuseAiSdk(value, path);
    if (unknown !== undefined)
      throw badArgument(`A step's result has no \`${within(unknown)}\`.`, `It takes ${listed(Object.keys(all))}.`);
    for (const field of known) all[field]?.(value[field], within(field));
  };
}

/** Field names of the AI SDK: its results and messages look alike, and would lose their calls. */
const aiSdkNames = [
  "toolCalls",
  "toolResults",
  "toolCallId",
  "toolName",
  "finishReason",
  "inputTokens",
  "outputTokens",
];

function refuseAiSdk(value: Readonly<Record<string, unknown>>, path: string): void {
  const message = value.role === "assistant" || value.role === "tool" ? "content" : undefined;
  const misplaced = aiSdkNames.find((name) => value[name] !== undefined) ?? message;
  if (misplaced === undefined) return;
  const where = path === "" ? "A step's result" : `The \`${path}\` of a step's result`;
  throw badArgument(
    `${where} has \`${misplaced}\`: it is in the form of the AI SDK, and its tool calls would be lost.`,
    "Make an answer of it with `fromAiSdk` of charter/delivery, and record that.",
  );
}

function misfit(path: string, kind: string, hint: string) {
  return badArgument(
    path === "" ? `A step's result is ${kind}.` : `The \`${path}\` of a step's result is ${kind}.`,
    hint,
  );
}

const text = is(isText, "a text");
const yes = is((value) => value === true, "true, or leave it out");
const object = is(isRecord, "an object");
const anything: Check = () => {};
const count = is((value) => value === null || typeof value === "number", "a number, or null where nobody counted");

const fields: { readonly [Field in keyof StepResult]-?: Check } = {
  input: text,
  acted: yes,
  answer: objectOf({ text, calls: listOf(objectOf({ id: text, name: text, input: text }, {})) }, { native: anything }),
  results: listOf(
    objectOf(
      { call: text, name: text, output: text },
      { failed: yes, shortened: yes, whole: objectOf({ text }, { foreign: yes }) },
    ),
  ),
  finish: text,
  usage: objectOf({ input: count, read: count, written: count, output: count }, {}),
  dropped: listOf(object),
  partial: text,
  correction: text,
  steering: listOf(text),
  summary: text,
  because: objectOf({ code: text, message: text }, {}),
  faults: listOf(object),
  ownTools: listOf(object),
  notices: listOf(object),
  sent: object,
  opinions: listOf(object),
};

const checkResult = objectOf({}, fields);
