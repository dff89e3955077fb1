import { grouped } from "../../prompt/problem.ts";
import type { Notice, Reading } from "../../prompt/reading.ts";

/** Use of a file in a prompt. */
export type Role = "system" | "append" | "context" | "skill" | "extension";

/** A file that was considered for a prompt: used, or why not. */
export type ConsideredFile = {
  readonly path: string;
  readonly role: Role;
  /**
   * The global agent directory, the project (the working directory and those above it), or named by whoever started the agent.
   */
  readonly place: "global" | "project" | "named";
  readonly used: boolean;
  /** Plain sentence if it is not used, or only in part: “there is none”, “the project is not trusted”, … */
  readonly reason?: string;
  /** Text it contributes to the prompt, if it is used. */
  readonly text?: string;
};

/** Codes of diagnostics; each has its line in docs/files.md. */
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

/** Code of a fault in a prompt file or a skill, explained in docs/files.md. */
export type DiagnosticCode = (typeof diagnosticCodes)[number];

/** A fault of a file that its author can fix. With an error the file is not used; with a warning it is. */
export type Diagnostic = {
  readonly severity: "error" | "warning";
  /** Code, the same in the listing, in JSON and in docs/files.md. */
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly message: string;
  /**
   * Marks what the Agent Skills specification forbids: `charter skills check` reports it as an error even if the skill is listed.
   */
  readonly spec?: true;
};

/** Result of searching files. The same object as long as nothing changed. */
export type FileFindings = {
  readonly reading: Reading;
  readonly considered: readonly ConsideredFile[];
  readonly diagnostics: readonly Diagnostic[];
};

/** Adds diagnostics to a reading as notices, except what its own reason says already. */
export function withDiagnostics(reading: Reading, diagnostics: readonly Diagnostic[], limit: number): Reading {
  const reason = reading.status === "unavailable" ? reading.reason : "";
  const untold = diagnostics.filter(({ message }) => !reason.includes(message));
  return withNotices(
    reading,
    untold.length <= limit + 1
      ? untold.map(({ code, message }) => ({ code, message }))
      : [
          ...untold.slice(0, limit).map(({ code, message }) => ({ code, message })),
          {
            code: "more-diagnostics",
            message: `There are ${grouped(untold.length - limit)} more diagnostics: “charter files” lists them all.`,
          },
        ],
  );
}

export function withNotices(reading: Reading, notices: readonly Notice[]): Reading {
  return notices.length === 0 ? reading : { ...reading, notices: [...(reading.notices ?? []), ...notices] };
}

/** Limits of prompt files, in bytes. */
export type FileLimits = {
  /** Maximum size of SYSTEM.md and APPEND_SYSTEM.md. A larger one is not used at all. */
  readonly system: number;
  /** Maximum size of a context file; a larger one is cut at the end of a line. */
  readonly contextFile: number;
  /** Maximum size of all context files with their paths; those nearest to the working directory are kept. */
  readonly context: number;
  /** Maximum number of diagnostics reported one by one for one kind of file; the rest are counted. */
  readonly notices: number;
};

export const fileLimits: FileLimits = {
  system: 1_048_576,
  contextFile: 131_072,
  context: 524_288,
  notices: 20,
};

/**
 * Wording of the coding agent's prompt: Charter's, or byte for byte that of pi's `buildSystemPrompt`. Charter's additions to pi
 * (quoting paths that would break their line, sorting skills by name) apply to its own wording only.
 */
export type Wording = "charter" | "pi";
