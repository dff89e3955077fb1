/** An AGENTS.md or CLAUDE.md file, as it is in the prompt. The same object as long as the file does not change. */
export type ContextFile = { readonly path: string; readonly content: string };
