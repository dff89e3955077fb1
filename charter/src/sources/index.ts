export type { Considered, Role } from "./considered.ts";
export type { ContextFile } from "./context-file.ts";
export { contextReading } from "./context-reading.ts";
export type { Diagnostic } from "./diagnostic.ts";
export type { Skill } from "./skill.ts";
export { skillsReading } from "./skills-reading.ts";
