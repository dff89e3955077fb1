import type { CompactInput, CompactResult } from "../agent/compact-session.ts";
import type { McpServerState } from "../agent/mcp/mcp-tools.ts";
import type { NextRequest, NextRequestInput } from "../agent/next-request.ts";
import type { OutputOf, OutputSchema } from "../agent/schema.ts";
import type { Survival } from "../agent/survival.ts";
import type { Tool } from "../agent/tool.ts";
import type { NewSessionInput } from "../agent/turn/live-session.ts";
import type { AgentEvent, RunTurnOptions, TurnInput, TurnOutcome } from "../agent/turn-interface.ts";
import type { Proposal, Verdict } from "../amend/amend.ts";
import type { Scope } from "../amend/amendment.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import type { Model } from "../delivery/model.ts";
import type { ModelTable } from "../delivery/models/model-entry.ts";
import type { Receiver } from "../delivery/receiver.ts";
import type { Room } from "../prompt/assemble.ts";
import type { Edition } from "../prompt/charter.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Notice, Readings } from "../prompt/reading.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import type { CreateScheduleOptions } from "../schedules/schedule.ts";
import type { CoreMemory } from "../sources/core-memory/core-memory.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { ApproveOptions } from "../store/amendments/held-proposal.ts";
import type { AmendmentContext, ProposalOutcome } from "../store/amendments/judge.ts";
import type { ErasableData, EraseResult, UserSelector } from "../store/lifecycle/erase.ts";
import type { Schedule } from "../store/schedules/runs.ts";
import type { Store } from "../store/store.ts";
import type { ToolPin } from "../store/tool-pins.ts";
import type { HeldCall } from "../store/turns/held-calls.ts";
import type { Session } from "../store/turns/session.ts";
import type { AgentSetup, CheckedAgent } from "./agent-settings.ts";
import type { CharterTraits, HostCharters, HostPlace } from "./load.ts";
import type { SpendingLimit } from "./models/host-models.ts";
import type { KnownModels, ProbeResult } from "./models/known-models.ts";
import type { SessionQuote } from "./proposal.ts";
import type { AgentSnapshot } from "./snapshot.ts";
import type { TrialAnswer, TrialQuery, TrialResult } from "./trial.ts";

/** Which agent, for which user, on which channel, and when. */
export type SnapshotQuery = {
  readonly agent: string;
  readonly user?: string | undefined;
  readonly channel?: string | undefined;
  /** An ISO 8601 time; now, unless given. */
  readonly at?: string | undefined;
  /** Facts of the turn that no store keeps, such as its tools: docs/facts.md. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
};

/** How a change is judged: in which room, and how many seconds a source may take. */
export type AmendmentQuery = { readonly room?: Room | undefined; readonly seconds?: number | undefined };

/**
 * Everything the next prompt would be made from, and for which model: enough to assemble it, in any edition and with
 * any limit.
 */
export type GatherResult = LookResult & {
  readonly readings: Readings;
  /** The one that fits the model's window. */
  readonly edition: Edition;
};

/** The same before anything is read: the turn as it is declared, and for which model. */
export type LookResult = {
  readonly declaredTurn: DeclaredTurn;
  readonly model: string;
  readonly receiver: Receiver;
  /** The model's. */
  readonly tokenizer: Tokenizer;
  /** What the tools come to, which stand before the prompt in every request. */
  readonly toolTokens: number;
};

/** The prompt that the next turn would have, with the tokenizer of the agent's model. */
export type Preview = { readonly prompt: Prompt; readonly tokenizer: Tokenizer; readonly model: string };

/** Another edition or limit than the next turn would have. */
export type PreviewOptions = { readonly edition?: Edition | undefined; readonly tokens?: number | undefined };

/**
 * What happened to something that was approved: a call is made with the next turn; a tool is offered from then on; a
 * proposal was judged again.
 */
export type ApproveResult =
  | { readonly call: HeldCall }
  | { readonly tool: ToolPin }
  | { readonly proposal: ProposalOutcome & { readonly held: string } };

/**
 * How a proposal is approved: with other text (`content`), or applied to the section's current text (`current`).
 * `dryRun`: the guards are asked, and nothing is decided.
 */
export type ApprovalOptions = Omit<ApproveOptions, "hand"> & { readonly dryRun?: true };

/** Directories on this machine that agents over ACP have for a user. */
export type UserDirectories = { readonly directories: readonly string[] };

/** A function that is called with every event of every turn, and whose turn it is. */
export type HostWatcher = (
  event: AgentEvent,
  about: { readonly agent: string; readonly user: string | undefined; readonly channel: string | undefined },
) => void;

/** A schedule as it was created. */
export type MadeSchedule = Schedule & { readonly notices: readonly Notice[] };

/**
 * A store's agents at work for many users at once. Web servers, bots and schedulers ask it. It looks up everything anew
 * for each turn, so a change by anyone is in the next prompt.
 */
export type Host = {
  readonly store: Store;
  readonly clock: () => Date;
  /** The same host where its operator asks: in a directory, with agents that no service runs. */
  readonly at: (place: HostPlace) => Host;
  /** The channels registered besides the usual ones. */
  readonly channels: readonly string[];
  /** Its own charters, by name. */
  readonly charters: HostCharters;
  /** Its own models, by name. */
  readonly models: ModelTable;
  /** The models its agents can be given: listed, checked by name, and tested. */
  readonly knownModels: KnownModels;
  /** What an agent's charter says about itself. */
  readonly traits: (agent: AgentRecord) => Promise<CharterTraits>;
  /** An agent as it is now: charter, settings and current text. */
  readonly snapshot: (about: SnapshotQuery) => Promise<AgentSnapshot>;
  /** What the next prompt would be made from, before anything is read for it. */
  readonly look: (about: SnapshotQuery) => Promise<LookResult>;
  /** Reads everything that the next prompt would be made from. */
  readonly gather: (about: SnapshotQuery) => Promise<GatherResult>;
  /** The prompt that the next turn would have. */
  readonly preview: (about: SnapshotQuery & PreviewOptions) => Promise<Preview>;
  /**
   * The first request of the next turn, as it would be sent now: in the session that is named, or else the one the turn
   * would belong to. Nothing is sent or stored.
   */
  readonly nextRequest: (about: NextRequestInput & { readonly agent: string }) => Promise<NextRequest>;
  /** The tools an agent has. */
  readonly tools: (about: SnapshotQuery) => Promise<readonly Tool[]>;
  /** The context for `store.propose` and `store.judge`. */
  readonly amendmentContext: (about: SnapshotQuery & AmendmentQuery) => Promise<AmendmentContext>;
  /** Judges a proposal without making it, and says what it would cost. */
  readonly quote: (
    about: SnapshotQuery & AmendmentQuery,
    proposal: Proposal,
  ) => Promise<{ verdict: Verdict; quote: SessionQuote | undefined }>;
  /** The first requests of past turns, made again as if a section had said something else. Nothing is run or written. */
  readonly trial: (query: TrialQuery) => Promise<TrialResult>;
  /** A model's first answer to one of them. Only its cost is written, as the agent's. */
  readonly askTrial: (query: TrialQuery, turn: string) => Promise<TrialAnswer>;
  readonly runTurn: <Output extends OutputSchema = OutputSchema>(
    asked: TurnInput<unknown, Output> & { readonly agent: string },
    watching?: RunTurnOptions,
  ) => Promise<TurnOutcome<OutputOf<Output>>>;
  /**
   * Creates a schedule, in the time zone of the user, else the agent's, else the operator's; `notices` says where its
   * answers would reach nobody.
   */
  readonly schedule: (asked: Omit<CreateScheduleOptions, "defaultZone">) => Promise<MadeSchedule>;
  /** Opens a new session for a user: what was said before is not in it. */
  readonly newSession: (about: NewSessionInput & { readonly agent: string }) => Promise<Session>;
  /** Sums up a session's history now. */
  readonly compact: (about: CompactInput & { readonly agent: string }) => Promise<CompactResult>;
  /** Calls one of an agent's tools in its name, without a model. It is recorded as a turn of its own. */
  readonly callTool: (
    about: { readonly agent: string; readonly user?: string | undefined },
    call: { readonly tool: string; readonly input: unknown },
  ) => Promise<{ readonly turn: string; readonly output: string; readonly failed: boolean }>;
  /**
   * Approves a held call, proposal or tool. `within` limits what may be decided to one scope; without it, the operator
   * decides.
   */
  readonly approve: (id: string, by: string, within?: Scope, how?: ApprovalOptions) => Promise<ApproveResult>;
  readonly reject: (id: string, by: string, reason?: string, within?: Scope) => Promise<void>;
  /** The agents of which it is set what they may cost in a day, and whether the price of their model is known. */
  readonly spendingLimits: () => Promise<readonly SpendingLimit[]>;
  /** How an agent is off that lives on what it was granted. */
  readonly survivalOf: (agent: string) => Promise<Survival>;
  /** An agent's core memory on relays, if it has one. */
  readonly coreMemory: (agent: string) => Promise<CoreMemory | undefined>;
  /** The MCP servers that an agent's settings name, with their tools as it has them: offered, held, not there. */
  readonly mcpServers: (agent: string) => Promise<readonly McpServerState[]>;
  /** Refuses what an agent cannot be given here: models and MCP servers that there are none of, settings nobody reads. */
  readonly checkAgent: (asked: AgentSetup) => Promise<CheckedAgent>;
  /**
   * Asks an agent's models one word, until one answers. It costs a word, which is on record. Nothing, where none of them
   * can be asked so, as an agent over ACP.
   */
  readonly probe: (agent: string, options: { readonly signal: AbortSignal }) => Promise<ProbeResult | undefined>;
  /** The model an agent uses now. */
  readonly modelOf: (agent: string) => Promise<Model>;
  /** What is kept about a user: rows of the store, and directories that agents over ACP have for them on this machine. */
  readonly erasable: (who: UserSelector) => Promise<ErasableData & UserDirectories>;
  /** Erases a user. Processes of agents over ACP that they have here are ended. */
  readonly erase: (who: UserSelector) => Promise<EraseResult & UserDirectories>;
  /** How many turns are running. */
  readonly runningTurns: () => number;
  /** Takes no more turns and waits for those that run; what is not over in time is stopped. The store stays open. */
  readonly close: (graceMs?: number) => Promise<void>;
  /** Calls the watcher from now on; the function it returns ends that. */
  readonly watch: (watcher: HostWatcher) => () => void;
};
