export type { ContextFile } from "./context-file.ts";
export { contextReading } from "./context-reading.ts";
export type { ConsideredFile, Role } from "./disk/considered-file.ts";
export type { Diagnostic, DiagnosticCode } from "./disk/diagnostic.ts";
export type { Disk } from "./disk/disk.ts";
export type { FileLimits } from "./disk/file-limits.ts";
export type { FileWatcher } from "./disk/watch.ts";
export type { Wording } from "./disk/wording.ts";
export { openProject, type Project, type ProjectFindings, type ProjectOptions } from "./project.ts";
export type { Skill } from "./skills/skill.ts";
export { skillsReading } from "./skills/skills-reading.ts";
export type { DigestLimits } from "./trust/extension-digests.ts";
export {
  type CharterTrust,
  charterTrustOf,
  distrustProject,
  type ProjectPlaces,
  type ProjectTrust,
  projectTrust,
  type TrustedProject,
  type TrustOptions,
  type TrustState,
  trustedProjects,
  trustProject,
} from "./trust/trust.ts";
export { type ExtensionPlaces, usedExtensions } from "./trust/used-extensions.ts";
