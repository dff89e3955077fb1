export type { Declaration, RulesFor } from "../agent/declaration.ts";
export { type ArtifactOptions, artifact, artifactFromFacts } from "./artifact.ts";
export {
  type AssistantOptions,
  assistant,
  assistantFromFacts,
  type Channels,
  exampleSoul,
  usualChannels,
} from "./assistant.ts";
export { type CoderSources, coder, coderFromFacts, type DocumentationPaths } from "./coder.ts";
export { type Fact, factsOf } from "./facts.ts";
export type { Given } from "./given.ts";
export { type ResidentOptions, resident, residentFromFacts } from "./resident.ts";
export { type SovereignSources, soulReading, sovereign, sovereignFromFacts } from "./sovereign.ts";
export { type Exchange, type MemoryFact, type Message, type Now, nowReading } from "./sovereign-now.ts";
export { openWorkbench, type Workbench, type WorkbenchOptions } from "./workbench.ts";
