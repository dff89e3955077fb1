/**
 * In whose words the coding agent's prompt is: Charter's own, or pi's, byte for byte as its `buildSystemPrompt` makes
 * them. What Charter does for safety beyond pi (a path that would break its line stands quoted) or for order (skills by
 * name, each name once) holds in its own wording only.
 */
export type Wording = "charter" | "pi";
