import type { Quote } from "../delivery/cost.ts";
import type { PrefixChange } from "../delivery/fold.ts";
import type { Answer, Fault, OwnToolUse, PermissionRequest, ToolCall, ToolResult, Usage } from "../delivery/model.ts";
import {
  anyValue,
  badArgument,
  checkOptions,
  type FieldChecks,
  isBoolean,
  isFunction,
  isObject,
  isText,
  laterChecked,
  optional,
} from "../prompt/argument.ts";
import { counted, grouped, Problem } from "../prompt/problem.ts";
import type { Notice } from "../prompt/reading.ts";
import type { CacheTokens, Receipt } from "../prompt/receipt.ts";
import type { ProposalOutcome } from "../store/amendments/judge.ts";
import { checkUser } from "../store/scope.ts";
import type { InputPart } from "./attachments.ts";
import { type Limits, limitsOf } from "./limits.ts";
import { isStandardSchema, type OutputSchema } from "./schema.ts";
import type { ToolOutput } from "./tool.ts";
import type { AskMode } from "./turn/ask-reason.ts";

/** Options of `runTurn`: the message, and who sent it where. */
export type TurnInput<Context = unknown, Output extends OutputSchema = OutputSchema> = {
  /** The user's message: a text, or a list of texts and of pictures and files by their bytes. */
  readonly input: string | readonly InputPart[];
  /**
   * The name of the user, or `null` for a job: it has no session unless it names one that a job opened, and none of a user's text,
   * notes or reminders. Where the door says that it is the operator's (`operator`), `null` is the operator's own turn.
   */
  readonly user: string | null;
  /** Says that the user is the sender of a message in the agent's inbox, `counterpart:…`. Unsaid, no such name is taken. */
  readonly counterpart?: true;
  readonly channel?: string;
  /** The user's time zone, for users the store has none for. */
  readonly zone?: string;
  /**
   * A session's id, "new", or "none" for a turn without one. Unless given, the newest session with this user, model and
   * channel continues; a job has none.
   */
  readonly session?: string;
  /**
   * A turn of this user, with `session: "new"`: the new session begins with the conversation up to it, as when later words were
   * taken back. The old session keeps everything.
   */
  readonly beginsAfter?: string;
  /** An id of your own, which must be unique. */
  readonly id?: string;
  /** Digest of the conversation as the client shows it, up to this input: `store.turns.withShown` finds the turn by it. */
  readonly shown?: string;
  /** Limits of this turn. Where the agent or its charter has a narrower one, that holds. */
  readonly limits?: Partial<Limits>;
  /**
   * Data of your program about the request: a tenant, a plan, a locale. Plain data, at most 16 KB. Sources, tools and hooks get
   * it; it is in no log and no prompt by itself, and is stored only with `keepContext`.
   */
  readonly context?: Context | undefined;
  /**
   * The form of the final answer: a schema of zod, valibot or arktype, or a JSON Schema. The outcome's `output` is the value,
   * checked.
   */
  readonly output?: Output | undefined;
  /**
   * Says whether other people's words are in the input: then the turn is tainted from the start. Unsaid, it is the user's; on a
   * channel of your own, all that is not `typed` is other people's.
   */
  readonly foreign?: boolean;
  /**
   * The words of the input that the person has just typed, and nothing else: nothing quoted, forwarded or added. A note of whole
   * sentences of them is the person's own, even while untrusted text is in the turn.
   */
  readonly typed?: string;
  /**
   * Asked before anything of the turn is stored, when the earlier turns of the session are over: whether it should still run. Its
   * user may have been erased meanwhile.
   */
  readonly isStillWanted?: () => Promise<boolean>;
};

/** A signal that stops the turn, a function that is called with its events, and one that asks a person. */
export type RunTurnOptions = {
  readonly signal?: AbortSignal;
  readonly on?: Watcher;
  /**
   * Asks the person at the door about a call that would wait for approval: true approves it, and it runs now; "session" does so
   * too, and lets the tool run without a question until text of another source comes into the session; "mine" does so as well, and
   * says that the pictures it was asked because of are the person's own, which taint nothing any more; false rejects the call;
   * undefined leaves it waiting. When the signal is aborted, an answer is no longer waited for.
   */
  readonly approve?: (held: WaitingCall, signal: AbortSignal) => Promise<ApproveAnswer>;
  /**
   * The calls before which a person is asked; "never", unless given. In a tainted turn, one that acts is held in every mode.
   */
  readonly ask?: AskMode;
  /**
   * Asks the client to run calls of its own tools (`client: true`), all of one answer at once, and returns their results in that
   * order. Meanwhile the turn waits, within its time and under its lease. When the signal is aborted, nothing is waited for.
   */
  readonly onClientCalls?: (calls: readonly ToolCall[], signal: AbortSignal) => Promise<readonly ToolOutput[]>;
};

/** A person's answer about a call. */
export type ApproveAnswer = boolean | "session" | "mine" | undefined;

/** A call that waits for approval, as it is shown to whoever decides. */
export type WaitingCall = {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly reason: string;
  /** The directory it acts in, if it acts in one. */
  readonly place?: string;
  /** Says that "session" is an answer to it. */
  readonly mayAllow?: true;
  /** Says that "mine" is an answer to it: it waits because of pictures that the person sent themselves, and of nothing else. */
  readonly ofPicture?: true;
};

/** An event of a turn, as it happens: for progress, streaming and logs. */
export type AgentEvent = { readonly turn: string } & (
  | {
      readonly kind: "turn-start";
      readonly agent: string;
      readonly user?: string;
      readonly channel?: string;
      readonly session: string;
      readonly input: string;
    }
  /** The turn goes on to another phase. */
  | { readonly kind: "phase"; readonly phase: TurnPhase }
  | {
      readonly kind: "step-start";
      readonly step: number;
      /** The request on record: model, sections with their revisions, cuts. */
      readonly receipt: Receipt;
      readonly prefixChange: PrefixChange;
      readonly predicted: CacheTokens | null;
    }
  /** The model has answered. `cost` in dollars; null if the model's price is not known. */
  | {
      readonly kind: "step-end";
      readonly step: number;
      readonly receiver: string;
      readonly finish: Answer["finish"];
      readonly usage: Usage;
      readonly cost: number | null;
      /** Time from the record of the request to the whole answer. */
      readonly ms: number;
    }
  /** A draft of the answer, as it comes. It becomes the answer with `turn-end`, or is dropped. */
  | { readonly kind: "draft"; readonly text: string }
  | { readonly kind: "draft-dropped"; readonly reason: string }
  | { readonly kind: "retry"; readonly fault: Fault; readonly attempt: number; readonly waitMs: number }
  /** The next model takes over the same step: one gave no answer, for the reason the code names. */
  | { readonly kind: "model-changed"; readonly from: string; readonly to: string; readonly code: string }
  /** `answering`: the receiver called it while it answers, so what was drafted before is still part of the answer. */
  | { readonly kind: "tool-call"; readonly call: ToolCall; readonly answering?: true }
  | { readonly kind: "tool-result"; readonly result: ToolResult }
  | { readonly kind: "tool-held"; readonly call: ToolCall; readonly held: string }
  /** The receiver used a tool of its own, or its status changed. */
  | { readonly kind: "own-tool"; readonly use: OwnToolUse }
  /** The receiver asked whether it may use a tool of its own. `held`: it waits for a person's approval, or had it. */
  | {
      readonly kind: "permission";
      readonly asked: PermissionRequest;
      readonly answer: "allow" | "deny";
      readonly held?: string;
    }
  | {
      readonly kind: "proposed";
      readonly section: string;
      readonly outcome: ProposalOutcome & { readonly quote?: Quote };
    }
  | { readonly kind: "tainted"; readonly reason: string }
  | { readonly kind: "hook-failed"; readonly hook: string; readonly moment: string; readonly reason: string }
  /** A history was too long and was compacted. `leftOut`: its oldest turns were not summarised, and are only in the record. */
  | {
      readonly kind: "compacted";
      readonly turns: number;
      readonly before: number;
      readonly after: number;
      readonly leftOut?: true;
    }
  | { readonly kind: "notice"; readonly notice: Notice }
  | { readonly kind: "turn-end"; readonly outcome: TurnOutcome }
);

/** A function that is called with the events of a turn. If it throws, the turn is not affected. */
export type Watcher = (event: AgentEvent) => void;

/** Makes a function that tells every watcher. One that throws, now or later, affects neither the turn nor the process. */
export function createEmit(turn: string, watchers: readonly (Watcher | undefined)[]) {
  return (event: AgentEvent extends infer One ? (One extends { turn: string } ? Omit<One, "turn"> : never) : never) => {
    for (const watcher of watchers) {
      try {
        const result: unknown = watcher?.({ turn, ...event } as AgentEvent);
        if (result instanceof Promise) result.catch(() => {});
      } catch {}
    }
  };
}

export type Emit = ReturnType<typeof createEmit>;

/** Writes in a sentence how a history was compacted; `subject` names the part of it. */
export function compactionText(
  { turns, before, after, leftOut }: Extract<AgentEvent, { kind: "compacted" }>,
  subject = counted(turns, "turn was", "turns were"),
): string {
  const sizes = `${counted(before, "token")} of history became ${grouped(after)}.`;
  if (!leftOut) return `${subject} summarised: ${sizes}`;
  return `${subject} left out, since the model gave no summary: ${sizes} The agent can still read what was left out.`;
}

/**
 * The result of a turn. Only an answered turn has a reply; and one whose answer does not fit its `output`, which failed with the
 * problem `bad-output`.
 */
export type TurnOutcome<Output = unknown> = {
  readonly turn: string;
  readonly session: string;
  readonly state: "answered" | "failed";
  readonly reply: string | null;
  /** The answer as a value, where the turn had an `output` and was answered. */
  readonly output?: Output;
  /** The reason there is no answer, as a Problem gives it. */
  readonly problem?: {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
    /** Says that this model answers nobody now, whatever is asked: its key is refused, its name unknown, its quota spent. */
    readonly outage?: true;
  };
  readonly steps: number;
  /** Says that untrusted text was in its context. */
  readonly tainted: boolean;
  readonly usage: Usage;
  /** The cost in dollars; null if the model's price is not known. */
  readonly cost: number | null;
  readonly notices: readonly Notice[];
};

/** The phase of a turn: its prompt is made, the model is asked, tools run, or the result is recorded. */
export type TurnPhase = "LoadingContext" | "Inferring" | "ExecutingActions" | "Persisting";

/** The check of a user: nobody is taken for a job, or for the operator, because a program left the user out. */
export const aUser = [
  (value: unknown) => value === null || isText(value),
  "Give user: a name, or null for a job: docs/agent.md.",
] as const;

/** Checks what is asked for a user. One who would be taken for somebody who writes to an agent's inbox is refused. */
export function checkAsked<Asked extends Pick<TurnInput, "user" | "counterpart">>(
  caller: string,
  asked: Asked,
  checks: FieldChecks<Asked>,
): void {
  checkOptions(caller, asked, checks);
  if (asked.user !== null && !asked.counterpart) checkUser(asked.user);
}

const turnChecks: FieldChecks<TurnInput> = {
  input: [laterChecked, ""],
  user: aUser,
  counterpart: optional([(value) => value === true, "Give true, or leave it out."]),
  channel: optional([isText, "Give the channel's name."]),
  zone: optional([isText, "Give a time zone, as in Europe/Rome."]),
  session: optional([isText, "Give a session's id, “new” or “none”."]),
  beginsAfter: optional([isText, "Give the id of a turn, and session: “new”."]),
  id: optional([isText, "Give an id of your own, as text."]),
  shown: optional([isText, "Give a digest, as text."]),
  limits: optional([isObject, "Give limits by name: { steps: 10 }."]),
  foreign: optional([isBoolean, "Give true or false, or leave it out."]),
  typed: optional([isText, "Give what the person typed, as text."]),
  context: anyValue,
  output: optional([isSchema, "Give a schema of zod, valibot or arktype, or a JSON Schema."]),
  isStillWanted: optional([isFunction, "Give a function: async () => true."]),
};

function isSchema(value: unknown): boolean {
  return isObject(value) || isStandardSchema(value);
}

/** Refuses a value that is no input of a turn, before anything is stored. */
export function checkInput(asked: TurnInput): void {
  if (typeof asked === "string")
    throw new Problem("bad-input", "A turn was asked with a text alone.", "Give runTurn({ input: text, user }).");
  checkAsked("runTurn", asked, turnChecks);
  limitsOf(asked.limits);
  if (asked.beginsAfter !== undefined && asked.session !== "new")
    throw badArgument("`beginsAfter` was given without a new session.", 'Give session: "new", too.');
}

/**
 * Decides whose the words of a message are, by what its door says of them: what was typed is the sender's own, and other people's
 * all that it does not say so of.
 */
export function whoseWords(
  input: TurnInput["input"],
  { typed, foreign }: Pick<TurnInput, "typed" | "foreign">,
): Pick<TurnInput, "typed"> & { readonly foreign: boolean } {
  // What is no input at all is refused later.
  const parts: readonly unknown[] = Array.isArray(input) ? input : [{ text: input }];
  const words = parts
    .map((part) => (Object(part) as { readonly text?: unknown }).text ?? "")
    .join("\n")
    .trim();
  const isOthers = words !== "" && typed?.trim() !== words;
  return { ...(typed === undefined ? {} : { typed }), foreign: foreign ?? isOthers };
}

/** Checks that the typed words are in the input, to the letter. */
export function checkTyped({ typed }: TurnInput, input: string): void {
  if (typed === undefined || input.includes(typed)) return;
  throw badArgument("The `typed` that runTurn was given is not in its input.", "Give the words as the input has them.");
}
