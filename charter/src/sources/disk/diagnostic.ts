/** Each has its line in docs/files.md. */
export const diagnosticCodes = [
  "bad-package",
  "broken-link",
  "case-variant",
  "changed-while-read",
  "collision",
  "compatibility-too-long",
  "description-invalid",
  "description-missing",
  "description-too-long",
  "extension-missing",
  "extension-outside",
  "field-invalid",
  "front-matter-invalid",
  "front-matter-missing",
  "front-matter-too-long",
  "ignore-file-invalid",
  "ignore-file-too-long",
  "invalid-utf8",
  "leads-out",
  "name-invalid",
  "name-mismatch",
  "name-missing",
  "name-too-long",
  "no-room",
  "not-a-directory",
  "not-a-file",
  "not-markdown",
  "nul-character",
  "skill-path-missing",
  "too-deep",
  "too-large",
  "too-many-directories",
  "too-many-skills",
  "unknown-field",
  "unreadable",
  "utf-16",
] as const;

/** What can be wrong with a prompt file or a skill. Each code is explained in docs/files.md. */
export type DiagnosticCode = (typeof diagnosticCodes)[number];

/** Something about a file that its author can fix. With an error the file is not used; with a warning it is. */
export type Diagnostic = {
  readonly severity: "error" | "warning";
  /** The same word in the listing, in JSON and in docs/files.md. */
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly message: string;
  /**
   * The Agent Skills specification forbids it: `charter skills check` reports it as an error even if the skill is
   * listed.
   */
  readonly spec?: true;
};
