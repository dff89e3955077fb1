export { type Agent, createAgent } from "./agent.ts";
export type { AgentOptions, DeclareTurn, MemoryOptions } from "./agent-options.ts";
export type { AttachmentSettings, InputPart } from "./attachments.ts";
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
export type { ExtensionFault, FaultCode } from "./extension/extension.ts";
export { type Extensions, type ExtensionsOptions, loadExtensions } from "./extension/extensions.ts";
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
export type { BeforeAsk } from "./question.ts";
export { createSecondOpinion, type SecondOpinionOptions } from "./question.ts";
export {
  type MessageOrigin,
  type ReplayedRequest,
  replayRequest,
  type SentOccurrence,
  type Utterance,
  type WhyQuery,
  whyIn,
} from "./replay.ts";
export type { OutputOf, OutputSchema, SchemaInput, SchemaIssue, SchemaOutput, StandardSchema } from "./schema.ts";
export {
  defineTool,
  type ProposedChange,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolOutput,
} from "./tool.ts";
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
export type { Tools } from "./toolset.ts";
export { type AiTool, linesOf, offersOf, type ToolOfOptions, toolOf } from "./toolset.ts";
export type { AskMode } from "./turn/ask-reason.ts";
export type { CallToolInput, CallToolResult, ToolCaller } from "./turn/call-tool.ts";
export type { NewSessionInput, SessionSettings } from "./turn/live-session.ts";
export { type RemovedSectionsOptions, removedSections } from "./turn/step.ts";
export type { DeclareOptions, OpinionBill } from "./turn/turn-state.ts";
export type {
  AgentEvent,
  ApproveAnswer,
  RunTurnOptions,
  TurnInput,
  TurnOutcome,
  TurnPhase,
  WaitingCall,
  Watcher,
} from "./turn-interface.ts";
export { usualRules } from "./usual-rules.ts";
export type { WorkspaceLimits } from "./workspace/limits.ts";
export type { Confinement, FileAccess } from "./workspace/workspace.ts";
export { type WorkspaceOptions, workspaceTools } from "./workspace/workspace-tools.ts";
