import type { Watcher } from "./agent-event.ts";
import type { InputPart } from "./attachments/input-part.ts";
import type { Limits } from "./limits.ts";
import type { OutputSchema } from "./output/output-format.ts";
import type { AskMode } from "./turn/ask-reason.ts";

/** What `runTurn` is given: the message, and who sent it where. */
export type TurnInput<Context = unknown, Output extends OutputSchema = OutputSchema> = {
  /** What the user says: a text, or a list of texts and of pictures and files by their bytes. */
  readonly input: string | readonly InputPart[];
  readonly user?: string;
  readonly channel?: string;
  /** The user's time zone, for users the store has none for. */
  readonly zone?: string;
  /**
   * A session's id, "new", or "none" for a turn without one. Unless given, the newest session with this user, model and
   * channel continues.
   */
  readonly session?: string;
  /**
   * With `session: "new"`: a turn of this user, as one whose later words were taken back. The session begins with what was
   * said up to it; that stays where it was said, and what came after is not in it.
   */
  readonly beginsAfter?: string;
  /** An id of your own, which must be unique. */
  readonly id?: string;
  /** Limits of this turn. Where the agent or its charter has a narrower one, that holds. */
  readonly limits?: Partial<Limits>;
  /**
   * What your program knows of the request: a tenant, a plan, a locale. Plain data, at most 16 KB. Sources, tools and
   * hooks are given it; it is in no log and no prompt by itself, and is stored only with `keepContext`.
   */
  readonly context?: Context | undefined;
  /**
   * What the final answer must be: a schema of zod, valibot or arktype, or a JSON Schema. The outcome's `output` is the
   * value, checked.
   */
  readonly output?: Output | undefined;
  /** The input is other people's words: the turn is tainted from the start. */
  readonly foreign?: true;
  /**
   * Those words of the input that the person has just typed, and nothing else: nothing quoted, forwarded or added. A note
   * that is whole sentences of them is the person's own, also while untrusted text is in the turn.
   */
  readonly typed?: string;
  /**
   * Asked before anything of the turn is stored, when the turns before it in the session are over: whether it should
   * still run. Its user may have been erased meanwhile.
   */
  readonly isStillWanted?: () => Promise<boolean>;
};

/** A signal that stops the turn, a function that is called with its events, and one that asks a person. */
export type RunTurnOptions = {
  readonly signal?: AbortSignal;
  readonly on?: Watcher;
  /**
   * Asked when a call would wait for approval, if somebody is there to be asked: true approves it, and it runs now;
   * "session" does so too, and lets the tool run without a question until text of another source comes into the session;
   * false rejects the call; undefined leaves it waiting. When the signal is aborted, no answer is waited for any more.
   */
  readonly approve?: (held: WaitingCall, signal: AbortSignal) => Promise<ApproveAnswer>;
  /** Before which calls somebody is asked; "never", unless given. What untrusted text holds is held in every mode. */
  readonly ask?: AskMode;
};

/** What a person says to a call. */
export type ApproveAnswer = boolean | "session" | undefined;

/** A call that waits for approval, as whoever decides is shown it. */
export type WaitingCall = {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly reason: string;
  /** The directory it acts in, if it acts in one. */
  readonly place?: string;
  /** "session" is an answer to it. */
  readonly mayAllow?: true;
};
