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

export type DiagnosticCode = (typeof diagnosticCodes)[number];

/** Something about a file its author can mend. An error keeps the file out of the prompt; a warning does not. */
export type Diagnostic = {
  readonly severity: "error" | "warning";
  /** The same word in the listing, in JSON and in docs/files.md. */
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly message: string;
  /** The Agent Skills specification rules it out: `charter skills check` takes it for an error even when the skill is listed. */
  readonly spec?: true;
};
