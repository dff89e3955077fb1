import type { CompactInput, CompactResult } from "../agent/compact-session.ts";
import type { McpServerState } from "../agent/mcp/mcp-tools.ts";
import type { NextRequest, NextRequestInput } from "../agent/next-request.ts";
import type { OutputOf, OutputSchema } from "../agent/schema.ts";
import type { Survival } from "../agent/survival.ts";
import type { Tool } from "../agent/tool.ts";
import type { CallToolInput, CallToolResult } from "../agent/turn/call-tool.ts";
import type { NewSessionInput } from "../agent/turn/live-session.ts";
import type { RunTurnOptions, TurnInput, TurnOutcome } from "../agent/turn-interface.ts";
import type { Proposal, Verdict } from "../amend/amend.ts";
import type { Scope } from "../amend/amendment.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import type { Model } from "../delivery/model.ts";
import type { ModelTable } from "../delivery/models/model-entry.ts";
import type { Receiver } from "../delivery/receiver.ts";
import type { Edition } from "../prompt/charter.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Notice, Readings } from "../prompt/reading.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import type { CreateScheduleOptions } from "../schedules/schedule.ts";
import type { NamedSources } from "../sources/charter-folder/charter-files.ts";
import type { CoreMemory } from "../sources/core-memory/core-memory.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { ApproveOptions } from "../store/amendments/held-proposal.ts";
import type { AmendmentContext, ProposalOutcome } from "../store/amendments/judge.ts";
import type { ErasableData, EraseResult } from "../store/lifecycle/erase.ts";
import type { Schedule } from "../store/schedules/runs.ts";
import type { UserSelector } from "../store/scope.ts";
import type { Store } from "../store/store.ts";
import type { ToolPin } from "../store/tool-pins.ts";
import type { HeldCall } from "../store/turns/held-calls.ts";
import type { FoundSession } from "../store/turns/session.ts";
import type { AgentSetup, CheckedAgent } from "./agent-settings.ts";
import type { HostPlace, HostWatcher } from "./host-options.ts";
import type { CharterTraits, HostCharters } from "./load.ts";
import type { SpendingLimit } from "./models/host-models.ts";
import type { KnownModels, ProbeResult } from "./models/known-models.ts";
import type { AmendmentQuery, SessionQuote } from "./proposal.ts";
import type { AgentSnapshot } from "./snapshot.ts";
import type { TrialAnswer, TrialQuery, TrialResult } from "./trial.ts";

/** Query for an agent as it would be for a user, on a channel, at a time. */
export type SnapshotQuery = {
  readonly agent: string;
  readonly user?: string | undefined;
  readonly channel?: string | undefined;
  /** ISO 8601 time; by default now. */
  readonly at?: string | undefined;
  /** Facts of the turn that are not stored, such as its tools: docs/facts.md. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
};

/** Readings the next prompt would be made from, and its model: enough to assemble it, in any edition and with any limit. */
export type GatherResult = LookResult & {
  readonly readings: Readings;
  /** Edition that fits the model's window. */
  readonly edition: Edition;
};

/** Declaration of the next turn and its model, before any source is read. */
export type LookResult = {
  readonly declaredTurn: DeclaredTurn;
  readonly model: string;
  readonly receiver: Receiver;
  /** Tokenizer of the model. */
  readonly tokenizer: Tokenizer;
  /** Tokens of the tools, which stand before the prompt in every request. */
  readonly toolTokens: number;
};

/** Prompt of the next turn, with the tokenizer of the agent's model. */
export type Preview = { readonly prompt: Prompt; readonly tokenizer: Tokenizer; readonly model: string };

/** Options for an edition or a limit other than the next turn's. */
export type PreviewOptions = { readonly edition?: Edition | undefined; readonly tokens?: number | undefined };

/** Result of an approval: a call is made with the next turn; a tool is offered from then on; a proposal was judged again. */
export type ApproveResult =
  | { readonly call: HeldCall }
  | { readonly tool: ToolPin }
  | { readonly proposal: ProposalOutcome & { readonly held: string } };

/**
 * Options for approving a proposal: with other text (`content`), or applied to the section's current text (`current`). `dryRun`
 * asks the guards and decides nothing.
 */
export type ApprovalOptions = Omit<ApproveOptions, "hand"> & {
  readonly dryRun?: true;
  /** Says, too, that the pictures it waits because of are the user's own. */
  readonly mine?: true;
};

/** Directories on this machine that agents over ACP have for a user. */
export type UserDirectories = { readonly directories: readonly string[] };

/** A schedule as it was created. */
export type MadeSchedule = Schedule & { readonly notices: readonly Notice[] };

/**
 * The agent that is asked. `operator`: the caller's door is the operator's, so that what is asked without a user (`null`) is the
 * operator's own, and no job. It is so at a place of the operator's (`host.at`).
 */
export type AskedAgent = { readonly agent: string; readonly operator?: boolean | undefined };

/**
 * Runs a store's agents for many users at once, for web servers, bots and schedulers. It reads everything anew for each turn, so
 * a change by anyone is in the next prompt.
 */
export type Host = {
  readonly store: Store;
  readonly clock: () => Date;
  /** Returns the same host for its operator at this machine: in a directory, with agents that no service runs. */
  readonly at: (place: HostPlace) => Host;
  /** Channels registered besides the usual ones. */
  readonly channels: readonly string[];
  /** Own charters of the host, by name. */
  readonly charters: HostCharters;
  /** Sources that charters in folders may name. */
  readonly sources: (() => Promise<NamedSources>) | undefined;
  /** Own models of the host, by name. */
  readonly models: ModelTable;
  /** Models its agents can be given: listed, checked by name, and tested. */
  readonly knownModels: KnownModels;
  /** Traits an agent's charter declares. */
  readonly traits: (agent: AgentRecord) => Promise<CharterTraits>;
  /** An agent as it is now: charter, settings and current text. */
  readonly snapshot: (about: SnapshotQuery) => Promise<AgentSnapshot>;
  /** Inputs of the next prompt, before any source is read. */
  readonly look: (about: SnapshotQuery) => Promise<LookResult>;
  /** Reads everything that the next prompt would be made from. */
  readonly gather: (about: SnapshotQuery) => Promise<GatherResult>;
  /** Assembles the prompt that the next turn would have. */
  readonly preview: (about: SnapshotQuery & PreviewOptions) => Promise<Preview>;
  /**
   * First request of the next turn, as it would be sent now, in the given session or in the one the turn would belong to. Nothing
   * is sent or stored.
   */
  readonly nextRequest: (about: NextRequestInput & AskedAgent) => Promise<NextRequest>;
  /** Tools an agent has. */
  readonly tools: (about: SnapshotQuery) => Promise<readonly Tool[]>;
  /** Context for `store.propose` and `store.judge`. */
  readonly amendmentContext: (about: SnapshotQuery & AmendmentQuery) => Promise<AmendmentContext>;
  /** Judges a proposal without applying it, and says what it would cost. */
  readonly quote: (
    about: SnapshotQuery & AmendmentQuery,
    proposal: Proposal,
  ) => Promise<{ verdict: Verdict; quote: SessionQuote | undefined }>;
  /** The first requests of past turns, made again as if a section had said something else. Nothing is run or written. */
  readonly trial: (query: TrialQuery) => Promise<TrialResult>;
  /** A model's first answer to one of them. Only its cost is written, as the agent's. */
  readonly askTrial: (query: TrialQuery, turn: string) => Promise<TrialAnswer>;
  readonly runTurn: <Output extends OutputSchema = OutputSchema>(
    asked: TurnInput<unknown, Output> & AskedAgent,
    watching?: RunTurnOptions,
  ) => Promise<TurnOutcome<OutputOf<Output>>>;
  /**
   * Creates a schedule in the time zone of the user, else the agent's, else the operator's. `notices` say if its answers would
   * reach nobody.
   */
  readonly schedule: (asked: Omit<CreateScheduleOptions, "defaultZone">) => Promise<MadeSchedule>;
  /** Starts a new session for a user, without the history of the one before. */
  readonly newSession: (about: NewSessionInput & AskedAgent) => Promise<FoundSession>;
  /** Summarises a session's history now. */
  readonly compact: (about: CompactInput & AskedAgent) => Promise<CompactResult>;
  /** Calls one of an agent's tools in its name, without a model. It is recorded as a turn of its own. */
  readonly callTool: (
    about: AskedAgent & Pick<CallToolInput, "user">,
    call: Omit<CallToolInput, "user">,
  ) => Promise<CallToolResult>;
  /**
   * Approves a held call, proposal or tool. `within` limits what may be decided to one scope; without it, the operator decides.
   */
  readonly approve: (id: string, by: string, within?: Scope, how?: ApprovalOptions) => Promise<ApproveResult>;
  readonly reject: (id: string, by: string, reason?: string, within?: Scope) => Promise<void>;
  /** Agents with a daily spending limit, and whether the price of their model is known. */
  readonly spendingLimits: () => Promise<readonly SpendingLimit[]>;
  /** Budget of an agent that lives on granted cycles. */
  readonly survivalOf: (agent: string) => Promise<Survival>;
  /** Core memory of an agent on relays, if it has one. */
  readonly coreMemory: (agent: string) => Promise<CoreMemory | undefined>;
  /** MCP servers that an agent's settings name, with the state of their tools: offered, held or missing. */
  readonly mcpServers: (agent: string) => Promise<readonly McpServerState[]>;
  /** Refuses a setup that cannot work here: unknown models or MCP servers, settings that nothing reads. */
  readonly checkAgent: (asked: AgentSetup) => Promise<CheckedAgent>;
  /**
   * Asks an agent's models for one word, until one answers, and records what that costs. Undefined if none can be asked this way,
   * such as an agent over ACP.
   */
  readonly probe: (agent: string, options: { readonly signal: AbortSignal }) => Promise<ProbeResult | undefined>;
  /** Model an agent uses now. */
  readonly modelOf: (agent: string) => Promise<Model>;
  /** Lists what is stored about a user: rows of the store, and directories that agents over ACP have for them on this machine. */
  readonly erasable: (who: UserSelector) => Promise<ErasableData & UserDirectories>;
  /**
   * Erases a user, and ends their processes of agents over ACP. `shared` also takes what came of their turns out of text that all
   * users read, and erases the history of that text.
   */
  readonly erase: (
    who: UserSelector & { readonly shared?: boolean | undefined },
  ) => Promise<EraseResult & UserDirectories>;
  /** Number of turns that are running. */
  readonly runningTurns: () => number;
  /** Refuses new turns and waits for the running ones; those that are not done in time are stopped. The store stays open. */
  readonly close: (graceMs?: number) => Promise<void>;
  /** Calls the watcher from now on; the returned function stops that. */
  readonly watch: (watcher: HostWatcher) => () => void;
};
