export type { ContextFile } from "./context-file.ts";
export { contextReading } from "./context-reading.ts";
export type { Considered, Role } from "./disk/considered.ts";
export type { Diagnostic } from "./disk/diagnostic.ts";
export { type Disk, disk } from "./disk/disk.ts";
export { createFiles, type FileState, type Files } from "./disk/file.ts";
export { type FileLimits, fileLimits } from "./disk/file-limits.ts";
export type { Watching } from "./disk/watch.ts";
export type { Wording } from "./disk/wording.ts";
export { openProject, type Project, type ProjectLook, type ProjectOptions } from "./project.ts";
export type { Skill } from "./skills/skill.ts";
export { type SkillLimits, skillLimits } from "./skills/skill-limits.ts";
export { createSkills, type SkillRoot, type Skills, type SkillsFound, type SkillsOptions } from "./skills/skills.ts";
export { skillsReading } from "./skills/skills-reading.ts";
export { type ExtensionFiles, extensionFiles } from "./trust/extension-files.ts";
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
} from "./trust/trust.ts";
export { type ExtensionPlaces, usedExtensions } from "./trust/used-extensions.ts";
