export type { Considered, Role } from "./considered.ts";
export type { ContextFile } from "./context-file.ts";
export { contextReading } from "./context-reading.ts";
export type { Diagnostic } from "./diagnostic.ts";
export { type Disk, disk } from "./disk.ts";
export { type ExtensionFiles, extensionFiles } from "./extension-files.ts";
export { createFiles, type FileState, type Files } from "./file.ts";
export { type FileLimits, fileLimits } from "./file-limits.ts";
export { openProject, type Project, type ProjectLook, type ProjectOptions } from "./project.ts";
export type { Skill } from "./skill.ts";
export { type SkillLimits, skillLimits } from "./skill-limits.ts";
export { createSkills, type SkillRoot, type Skills, type SkillsFound, type SkillsOptions } from "./skills.ts";
export { skillsReading } from "./skills-reading.ts";
export {
  distrustProject,
  type Places,
  type Trust,
  type TrustedProject,
  type TrustOptions,
  type TrustState,
  trustedProjects,
  trustOf,
  trustProject,
} from "./trust.ts";
export { type ExtensionPlaces, usedExtensions } from "./used-extensions.ts";
export type { Watching } from "./watch.ts";
export type { Wording } from "./wording.ts";
