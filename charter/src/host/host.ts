import type { AgentEvent } from "../agent/agent-event.ts";
import type { TurnOutcome } from "../agent/outcome.ts";
import type { Tool } from "../agent/tool.ts";
import type { RunTurnOptions, TurnInput } from "../agent/turn-input.ts";
import type { Scope } from "../amend/amendment.ts";
import type { Proposal } from "../amend/proposal.ts";
import type { Verdict } from "../amend/verdict.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import type { Model } from "../delivery/model.ts";
import type { Receiver } from "../delivery/receiver.ts";
import type { Edition } from "../prompt/edition.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Readings } from "../prompt/source.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { AmendmentContext, ProposalOutcome } from "../store/amendments/context.ts";
import type { Store } from "../store/store.ts";
import type { HeldCall } from "../store/turns/held-call-row.ts";
import type { CharterTraits } from "./load.ts";
import type { SessionQuote } from "./quote.ts";
import type { AgentSnapshot } from "./snapshot.ts";

/** Whom a look at an agent is for, where they would be, and when. */
export type SnapshotQuery = {
  readonly agent: string;
  readonly user?: string | undefined;
  readonly channel?: string | undefined;
  /** An ISO 8601 time; now, unless said otherwise. */
  readonly at?: string | undefined;
};

/** What the next prompt would be made of, and who would read it: enough to assemble it, in any edition and any room. */
export type GatherResult = {
  readonly declaredTurn: DeclaredTurn;
  readonly readings: Readings;
  readonly model: string;
  readonly receiver: Receiver;
  /** The receiver's. */
  readonly tokenizer: Tokenizer;
  /** By the receiver's room. */
  readonly edition: Edition;
};

/** A prompt as the next turn would have it, with the tokenizer of the agent's model. */
export type Preview = { readonly prompt: Prompt; readonly tokenizer: Tokenizer; readonly model: string };

/** Another edition or limit than the next turn would have. */
export type PreviewOptions = { readonly edition?: Edition | undefined; readonly tokens?: number | undefined };

/** What became of something held: a call is made with the next turn; a proposal was judged once more. */
export type ApproveResult =
  | { readonly call: HeldCall }
  | { readonly proposal: ProposalOutcome & { readonly held: string } };

/** Told of everything that happens in any turn, and of whom and where. */
export type HostWatcher = (
  event: AgentEvent,
  about: { readonly agent: string; readonly user: string | undefined; readonly channel: string | undefined },
) => void;

/**
 * A store's agents at work for many users at once: whoever serves them (a web server, Telegram, schedules) asks the
 * host. What a turn needs is looked up anew for each, so a change by anyone, anywhere, is in the next prompt.
 */
export type Host = {
  readonly store: Store;
  readonly clock: () => Date;
  /** The channels a host has registered besides the usual ones. */
  readonly channels: readonly string[];
  /** What an agent's charter says of itself. */
  readonly traits: (agent: AgentRecord) => Promise<CharterTraits>;
  readonly snapshot: (about: SnapshotQuery) => Promise<AgentSnapshot>;
  /** Everything is read that a prompt is made of. */
  readonly gather: (about: SnapshotQuery) => Promise<GatherResult>;
  /** The same, assembled. */
  readonly preview: (about: SnapshotQuery & PreviewOptions) => Promise<Preview>;
  /** The tools an agent has there. */
  readonly tools: (about: SnapshotQuery) => Promise<readonly Tool[]>;
  /** Where a proposal is judged. */
  readonly amendmentContext: (about: SnapshotQuery) => Promise<AmendmentContext>;
  readonly quote: (
    about: SnapshotQuery,
    proposal: Proposal,
  ) => Promise<{ verdict: Verdict; quote: SessionQuote | undefined }>;
  readonly runTurn: (asked: TurnInput & { readonly agent: string }, watching?: RunTurnOptions) => Promise<TurnOutcome>;
  /** One of an agent's own tools, called by someone else's program in the agent's name: a turn of its own, without a model. */
  readonly callTool: (
    about: { readonly agent: string; readonly user?: string | undefined },
    call: { readonly tool: string; readonly input: unknown },
  ) => Promise<{ readonly turn: string; readonly output: string; readonly failed: boolean }>;
  /** Someone says yes or no to a held call or proposal that is within their reach; without one it is the operator. */
  readonly approve: (id: string, by: string, within?: Scope) => Promise<ApproveResult>;
  readonly reject: (id: string, by: string, reason?: string, within?: Scope) => Promise<void>;
  /** The model an agent speaks with now. */
  readonly modelOf: (agent: string) => Promise<Model>;
  /** How many turns are running. */
  readonly runningTurns: () => number;
  /** Takes no more turns, and waits for those that run; what is not over in time is stopped. The store stays open. */
  readonly close: (graceMs?: number) => Promise<void>;
  /** Gives back what stops it. */
  readonly watch: (watcher: HostWatcher) => () => void;
};
