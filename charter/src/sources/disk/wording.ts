/**
 * How the coding agent's prompt is worded: as Charter does, or byte for byte as pi's `buildSystemPrompt` does.
 * Charter's additions to pi (quoting paths that would break their line, sorting skills by name) apply to its own
 * wording only.
 */
export type Wording = "charter" | "pi";
