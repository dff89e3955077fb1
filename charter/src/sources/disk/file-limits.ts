/** How much of prompt files is used, in bytes. */
export type FileLimits = {
  /** SYSTEM.md and APPEND_SYSTEM.md. A larger one is not used at all. */
  readonly system: number;
  /** One context file; a larger one is cut at the end of a line. */
  readonly contextFile: number;
  /** All context files with their paths. Those nearest to the working directory are kept. */
  readonly context: number;
  /** How many diagnostics of one kind of file are reported one by one; the rest are counted. */
  readonly notices: number;
};

export const fileLimits: FileLimits = {
  system: 1_048_576,
  contextFile: 131_072,
  context: 524_288,
  notices: 20,
};
