import { grouped, Problem, reasonOf } from "../../prompt/problem.ts";
import type { NewAttachment } from "../../store/turns/attachments.ts";
import { maxLeaseSeconds } from "../../store/turns/turn.ts";
import type { Watcher } from "../agent-event.ts";
import type { StandardSchema } from "../standard-schema.ts";
import type { RunTurnOptions } from "../turn-input.ts";
import { settleAllowances } from "./acting/permission.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { turnReason } from "./end-turn.ts";
import type { HeldSession, SentSession } from "./live-session.ts";
import { type Deadline, startDeadline } from "./model-problem.ts";
import { type AskedTurn, declareTurn, prepareTurn } from "./prepare.ts";
import { unrecordedSpendOf } from "./record.ts";
import { chooseModel, seatOf } from "./seat.ts";
import type { TurnIdentity, TurnState } from "./turn-state.ts";

/** What a turn that is put on record is opened with, besides its input. */
type TurnOpening = Pick<TurnIdentity, "scope"> & {
  readonly signal: AbortSignal | undefined;
  readonly on?: Watcher | undefined;
  readonly approve?: RunTurnOptions["approve"] | undefined;
  readonly ask?: TurnIdentity["ask"];
  readonly output?: TurnIdentity["output"];
  readonly context?: unknown;
  readonly attachments?: readonly NewAttachment[];
  /** The context as it is kept with the turn. */
  readonly kept?: unknown;
};

/** A turn that has begun, with the time it has. */
export type BegunTurn = { readonly running: TurnState; readonly deadline: Deadline };

/**
 * A turn is put on record in the session it has, under its lease; who answers is chosen, and it is prepared. What goes
 * wrong by then is recorded with it.
 */
export async function beginTurn(
  deps: AgentDeps,
  held: HeldSession,
  asked: AskedTurn,
  { scope, signal, attachments = [], kept, ask = "never", on, approve, context, output }: TurnOpening,
): Promise<BegunTurn> {
  const terms = await declareTurn(deps, { ...scope, channel: asked.channel, turn: asked.id }, asked.limits);
  const turn = await deps.store.turns.open({
    ...{ scope, input: asked.input, runner: deps.runner },
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(held.id === undefined
      ? { ownSession: deps.models[0].receiver.name }
      : { session: held.id, inSession: true as const }),
    leaseSeconds: Math.min(Math.ceil(terms.limits.turnSeconds) + 60, maxLeaseSeconds),
    ...(asked.channel === undefined ? {} : { channel: asked.channel }),
    ...(asked.id === undefined ? {} : { id: asked.id }),
    ...(kept === undefined ? {} : { context: kept }),
  });
  const deadline = startDeadline(terms.limits.turnSeconds, signal);
  try {
    let [model] = deps.models;
    const choose = async (sent: SentSession) => {
      model = await chooseModel(deps, terms, sent);
      return model.receiver;
    };
    const session = await held.enter(turn, deps.models.length > 1 ? choose : undefined);
    const seat = await seatOf(deps, terms, model, deadline.signal);
    const about = { id: turn.id, scope, session, signal: deadline.signal, approve, ask, context, output };
    const begun = { ...about, attachments: turn.attachments ?? [] };
    return { deadline, running: await prepareTurn(deps, { terms, seat, on, begun }, asked) };
  } catch (error) {
    deadline.stop();
    await closeFailed(deps, { id: turn.id, scope }, error);
    throw error;
  }
}

/** A turn that was begun and comes to nothing is recorded as failed, with what it owes. */
export async function giveUp(deps: AgentDeps, running: TurnState, error: unknown): Promise<void> {
  await settleAllowances(deps, running, false);
  running.who.session.newestTurn = null;
  const owed = { tainted: running.progress.tainted, ...unrecordedSpendOf(deps, running.bill) };
  await closeFailed(deps, running.who, error, owed);
}

/** Where the store itself is the trouble, what it said first is the news. */
async function closeFailed(
  { store }: AgentDeps,
  { id, scope }: Pick<TurnIdentity, "id" | "scope">,
  error: unknown,
  owed: object = {},
): Promise<void> {
  await store.turns.close(id, { state: "failed", because: turnReason(error), scope, ...owed }).catch(() => {});
}

/** The longest context of a request, as JSON in UTF-8. */
const mostBytes = 16_384;

/** What whoever asked for a turn gave with it: as sources, tools and hooks see it, and as it is kept if it is. */
type RequestContext = { readonly value: unknown; readonly json: string };

/**
 * Checks the context of a request: plain data, not too long, and what the agent's schema takes. It is a copy that nobody
 * can change, so one turn's never becomes another's. What stands in it is in no Problem.
 */
export async function requestContext(
  given: unknown,
  schema: StandardSchema | undefined,
): Promise<RequestContext | undefined> {
  if (given === undefined) return undefined;
  const json = jsonOf(given);
  const bytes = Buffer.byteLength(json);
  if (bytes > mostBytes)
    throw badContext(`The context of a turn has ${grouped(bytes)} bytes; the limit is ${grouped(mostBytes)}.`);
  const plain: unknown = JSON.parse(json);
  return { value: frozen(schema ? await checked(plain, schema) : plain), json };
}

function jsonOf(given: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(given);
  } catch (error) {
    throw badContext(`The context of a turn cannot be written as JSON (${reasonOf(error).split("\n")[0]}).`);
  }
  if (json === undefined) throw badContext("The context of a turn is nothing that can be written as JSON.");
  return json;
}

async function checked(value: unknown, schema: StandardSchema): Promise<unknown> {
  const result = await schema["~standard"].validate(value);
  if (!result.issues) return result.value;
  const places = result.issues.map(({ path = [] }) => path.map(keyOf).join(".") || "the whole");
  throw badContext(`The context of a turn is not what the agent's schema takes: ${[...new Set(places)].join(", ")}.`);
}

function keyOf(part: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof part === "object" ? part.key : part);
}

function frozen(value: unknown): unknown {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const one of Object.values(value)) frozen(one);
  }
  return value;
}

function badContext(message: string): Problem {
  return new Problem("bad-context", message, 'Give plain data, as in { tenant: "acme", plan: "free" }: docs/agent.md.');
}
