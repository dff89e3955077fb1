import type { Scope } from "../../amend/amendment.ts";
import { checkNames, checkNeeded, isList, isObject, isText, optional } from "../../prompt/argument.ts";
import type { NewAttachment } from "./attachments.ts";
import type { NewStep } from "./record-step.ts";
import type { TurnEnd } from "./step-result.ts";

/** What own loops give `store.turns`: the first field that is missing, of another kind or not known is named. */

/** A turn to be opened. */
export type NewTurn = {
  readonly scope: Scope;
  readonly input: string;
  /** Pictures and files that come with it: their bytes are kept with it, or nothing of it is. */
  readonly attachments?: readonly NewAttachment[];
  readonly id?: string;
  readonly channel?: string;
  readonly session?: string;
  /** The session must still exist: it may have been erased while the turn waited. */
  readonly inSession?: boolean;
  /** The newest turn of the session that is known: whether it still is comes back with the turn, as `isNext`. */
  readonly after?: string;
  /** It gets a session of its own, which ends with it: with this receiver. */
  readonly ownSession?: string;
  /** The process that runs it (“host:pid”). */
  readonly runner?: string;
  /**
   * How long it may be silent before it counts as interrupted: 300 seconds with a runner, else for ever. Each step
   * renews it.
   */
  readonly leaseSeconds?: number;
  /** What whoever asked gave with it, if it is to be kept: plain data. It is erased and exported with the turn. */
  readonly context?: unknown;
};

const text = optional([isText, "Give a text."]);
const turnWanted = { turn: [isText, "Give the `id` of the turn that store.turns.open gave."] } as const;

export function checkNewTurn(turn: NewTurn): void {
  const name = "store.turns.open";
  checkNeeded<NewTurn>(name, turn, {
    scope: [isObject, "Give { agent }, or { agent, user }: names."],
    input: [isText, "Give what was asked, as text."],
    id: text,
    session: text,
    after: text,
    ownSession: text,
    attachments: optional([isList, "Give a list of attachments."]),
  });
  const run = ["channel", "inSession", "after", "runner", "leaseSeconds", "context"] as const;
  checkNames<NewTurn>(name, turn, ["scope", "input", "attachments", "id", "session", "ownSession", ...run]);
}

export function checkNewStep(turn: string, step: NewStep): void {
  const name = "store.turns.recordStep";
  checkNeeded<{ turn: string }>(name, { turn }, turnWanted);
  checkNeeded<NewStep>(name, step, {
    receipt: [isObject, "Give what receiptOf(charter, prompt, { sha256 }) gives."],
    texts: [isList, "Give what receiptOf(charter, prompt, { sha256 }) gives."],
  });
  checkNames<NewStep>(name, step, ["receipt", "texts", "session", "stable", "scope", "tainted"]);
}

const states: readonly unknown[] = ["answered", "failed", "interrupted"] satisfies TurnEnd["state"][];

export function checkTurnEnd(turn: string, end: TurnEnd): void {
  const name = "store.turns.close";
  checkNeeded<{ turn: string }>(name, { turn }, turnWanted);
  checkNeeded<TurnEnd>(name, end, {
    reply: optional([(value) => value === null || isText(value), "Give the reply, as text."]),
    state: optional([(value) => states.includes(value), "It is answered, failed or interrupted."]),
    step: optional([isObject, "Give { step, result } of its last step."]),
  });
  checkNames<TurnEnd>(name, end, ["reply", "state", "because", "step", "session", "spent", "scope", "tainted"]);
}
