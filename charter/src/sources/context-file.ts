/** An AGENTS.md or CLAUDE.md file, as the prompt holds it. The same object as long as the file is the same. */
export type ContextFile = { readonly path: string; readonly content: string };
