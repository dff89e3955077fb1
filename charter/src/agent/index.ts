export { type Agent, type AgentOptions, createAgent } from "./agent.ts";
export type { AgentEvent, Watcher } from "./agent-event.ts";
export type { Declaration, RulesFor } from "./declaration.ts";
export type { Hook } from "./hook.ts";
export { type Limits, usualLimits } from "./limits.ts";
export type { TurnOutcome } from "./outcome.ts";
export type { TurnInput, Watching } from "./run-turn.ts";
export { defineTool, type ProposedChange, type Tool, type ToolContext, type ToolOutput } from "./tool.ts";
export {
  modifySystemPrompt,
  readMemory,
  readPrompt,
  saveMemory,
  updateInstructions,
  updatePromptLayer,
} from "./tools/index.ts";
export type { TurnFor } from "./working.ts";
