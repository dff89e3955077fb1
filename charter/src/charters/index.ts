export { type ArtifactOptions, artifact } from "./artifact/artifact.ts";
export { type AssistantOptions, assistant, type Channels, exampleSoul } from "./assistant/assistant.ts";
export type { Identity } from "./assistant/sections.ts";
export { type CoderSources, coder } from "./coder/coder.ts";
export { type CharterFolderOptions, charterFolder } from "./folder.ts";
export { type ResidentOptions, resident } from "./resident/resident.ts";
export { type SovereignSources, sovereign } from "./sovereign/sovereign.ts";
export type { SovereignPlace } from "./sovereign/words.ts";
