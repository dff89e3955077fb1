export { type AiLoop, type CharterForOptions, charterFor } from "./sdk-loop.ts";
export type { AiSettings, AiTurn, AiTurnInput, TurnMetadata } from "./sdk-turn.ts";
