/** What a file is used for in a prompt. */
export type Role = "system" | "append" | "context" | "skill" | "extension";

/** A file that was looked at for a prompt: used, or why not. */
export type ConsideredFile = {
  readonly path: string;
  readonly role: Role;
  /**
   * The global agent directory, the project (the working directory and those above it), or named by whoever started the
   * agent.
   */
  readonly place: "global" | "project" | "named";
  readonly used: boolean;
  /** One plain sentence, when it is not used or only in part: “there is none”, “the project is not trusted”, … */
  readonly reason?: string;
  /** What it contributes to the prompt, if it is used. */
  readonly text?: string;
};
