/** How much of files a prompt takes, in bytes. */
export type FileLimits = {
  /** SYSTEM.md and APPEND_SYSTEM.md. A larger one is not cut: it cannot be used. */
  readonly system: number;
  /** One context file; a larger one is cut at the end of a line. */
  readonly contextFile: number;
  /** All context files with their paths. What is nearest to the working directory stands. */
  readonly context: number;
  /** How many diagnostics of one kind of file a prompt's notices tell; one more notice counts the others. */
  readonly notices: number;
};

export const fileLimits: FileLimits = {
  system: 1_048_576,
  contextFile: 131_072,
  context: 524_288,
  notices: 20,
};
