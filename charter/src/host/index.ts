export type { Survival, SurvivalResult, SurvivalTier } from "../agent/survival.ts";
export type { TrialCost, TrialExcess, TrialRequest } from "../agent/trial.ts";
export type { DeclaredTurn } from "../charters/declared-turn.ts";
export type { AcpEntry, PermissionPolicy, ToolKind } from "../delivery/acp/entry.ts";
export type { HostMcp } from "./agent-mcp.ts";
export type { AgentSetup, CheckedAgent } from "./agent-settings.ts";
export { type CoreMemoryDeps, type HostKeys, openCoreMemory } from "./core-memory.ts";
export { createHost } from "./create-host.ts";
export type { CommandSource, DescribedSource, McpSource, UrlSource } from "./described-source.ts";
export type {
  ApprovalOptions,
  ApproveResult,
  GatherResult,
  Host,
  LookResult,
  MadeSchedule,
  Preview,
  PreviewOptions,
  SnapshotQuery,
  UserDirectories,
} from "./host.ts";
export type { HostOptions, HostPlace, HostTools, HostWatcher } from "./host-options.ts";
export type { CharterTraits, HostCharters } from "./load.ts";
export type { SpendingLimit } from "./models/host-models.ts";
export type { KnownModel, KnownModels, ModelProblem, ModelTest, ProbeResult } from "./models/known-models.ts";
export type { HostAcp } from "./models/model-names.ts";
export type { HostSources, SourceEntry } from "./named-source.ts";
export type { CharterHost, GivenCharter } from "./own-charter.ts";
export type { AmendmentQuery, SessionQuote } from "./proposal.ts";
export type { AgentSnapshot } from "./snapshot.ts";
export type { TrialAnswer, TrialQuery, TrialResult } from "./trial.ts";
export { openWorkbench, type Workbench, type WorkbenchOptions } from "./workbench.ts";
