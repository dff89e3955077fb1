export { type AiLoop, type CharterForOptions, charterFor } from "./sdk-loop.ts";
export type { ChatMessage } from "./sdk-message.ts";
export type { AiSettings, AiTools, AiTurn, AiTurnInput, TurnMetadata } from "./sdk-turn.ts";
