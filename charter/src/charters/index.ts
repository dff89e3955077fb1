export type { Declaration, DocumentationPaths, Need, RulesFor } from "../agent/declaration.ts";
export { type ArtifactOptions, artifact, artifactFromFacts } from "./artifact/artifact.ts";
export {
  type AssistantOptions,
  assistant,
  assistantFromFacts,
  type Channels,
  exampleSoul,
  usualChannels,
} from "./assistant/assistant.ts";
export { type CoderSources, coder, coderFromFacts } from "./coder/coder.ts";
export type { DeclaredTurn } from "./declared-turn.ts";
export { type Fact, factsOf } from "./facts.ts";
export { type ResidentOptions, resident, residentFromFacts } from "./resident/resident.ts";
export { type InboxEntry, type MemoryFact, type NowFacts, nowReading, type PastExchange } from "./sovereign/now.ts";
export { type SovereignSources, soulReading, sovereign, sovereignFromFacts } from "./sovereign/sovereign.ts";
