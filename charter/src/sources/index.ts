export type { ContextFile } from "./context-file.ts";
export { contextReading } from "./context-reading.ts";
export type { CoreMemory, MemoryAuthor } from "./core-memory/core-memory.ts";
export type { WaitingEvent } from "./core-memory/core-record.ts";
export type { Finding, MemoryHead, RelayReport } from "./core-memory/finding.ts";
export type { KeyConfig, KeyConfigs } from "./core-memory/key-source.ts";
export type { MemoryListing } from "./core-memory/list-memory.ts";
export type { CoreLook } from "./core-memory/look-at-core.ts";
export type { NostrEvent } from "./core-memory/nostr-event.ts";
export type { MemoryLookup } from "./core-memory/read-memory.ts";
export type { KnownMemory, Reconciliation } from "./core-memory/reconcile.ts";
export type { RelayTrouble } from "./core-memory/relay-client.ts";
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
