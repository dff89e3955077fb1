export type { AiSettings, AiTools, AiTurn, AiTurnInput, TurnMetadata } from "./sdk-loop.ts";
export { type AiLoop, type CharterForOptions, charterFor } from "./sdk-loop.ts";
export type { ChatMessage } from "./sdk-message.ts";
