export { type Agent, createAgent } from "./agent.ts";
export type { AgentEvent, Watcher } from "./agent-event.ts";
export type { AgentOptions, DeclareTurn } from "./agent-options.ts";
export { type AiTool, type ToolOfOptions, toolOf } from "./ai/ai-tool.ts";
export type { AttachmentSettings } from "./attachments/attachment-settings.ts";
export type { InputPart } from "./attachments/input-part.ts";
export type { CompactInput, CompactResult } from "./compact-session.ts";
export type {
  Declaration,
  DirectoryFiles,
  DocumentationPaths,
  MemoryPlace,
  Need,
  RulesFor,
  ToolPlace,
} from "./declaration.ts";
export { type Extensions, type ExtensionsOptions, loadExtensions } from "./extension/extensions.ts";
export type { ExtensionFault, FaultCode } from "./extension/fault.ts";
export { type Question, questionOf } from "./held-question.ts";
export type { Hook, HookContext } from "./hook.ts";
export type { Limits } from "./limits.ts";
export type { McpEntry } from "./mcp/mcp-entry.ts";
export {
  createMcpTools,
  type McpServerState,
  type McpTools,
  type McpToolset,
  type McpToolsOptions,
  type McpToolsQuery,
} from "./mcp/mcp-tools.ts";
export type { NextRequest, NextRequestInput } from "./next-request.ts";
export type { TurnOutcome } from "./outcome.ts";
export type { OutputOf, OutputSchema } from "./output/output-format.ts";
export type { BeforeAsk } from "./question.ts";
export { type RemovedSectionsOptions, removedSections } from "./removed-sections.ts";
export { type MessageOrigin, type ReplayedRequest, replayRequest } from "./replay/replay-request.ts";
export { type SentOccurrence, type Utterance, type WhyQuery, whyIn } from "./replay/why-in.ts";
export { createSecondOpinion, type SecondOpinionOptions } from "./second-opinion.ts";
export type { SchemaInput, SchemaIssue, SchemaOutput, StandardSchema } from "./standard-schema.ts";
export {
  defineTool,
  type ProposedChange,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolOutput,
} from "./tool.ts";
export type { Tools } from "./tool-list.ts";
export {
  forgetMemory,
  modifySystemPrompt,
  readMemory,
  readPrompt,
  replyToMessage,
  saveMemory,
  updateInstructions,
  updatePromptLayer,
} from "./tools/index.ts";
export type { MemoryOptions } from "./tools/memory-options.ts";
export { linesOf, offersOf } from "./toolset.ts";
export type { AskMode } from "./turn/ask-reason.ts";
export type { NewSessionInput, SessionSettings } from "./turn/live-session.ts";
export type { CallToolInput, CallToolResult } from "./turn/run-turn.ts";
export type { DeclareOptions, OpinionBill } from "./turn/turn-state.ts";
export type { ApproveAnswer, RunTurnOptions, TurnInput, WaitingCall } from "./turn-input.ts";
export type { TurnPhase } from "./turn-phase.ts";
export { usualRules } from "./usual-rules.ts";
export type { FileAccess } from "./workspace/file-access.ts";
export type { Confinement } from "./workspace/workspace.ts";
export type { WorkspaceLimits } from "./workspace/workspace-limits.ts";
export { type WorkspaceOptions, workspaceTools } from "./workspace/workspace-tools.ts";
