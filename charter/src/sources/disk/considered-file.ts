/** What a file would be in a prompt. */
export type Role = "system" | "append" | "context" | "skill" | "extension";

/** A file that was looked at for a prompt: used, or not and why. */
export type ConsideredFile = {
  readonly path: string;
  readonly role: Role;
  /** The global agent directory, the project (the working directory and what is above it), or named by whoever started it. */
  readonly place: "global" | "project" | "named";
  readonly used: boolean;
  /** One plain sentence, when it is not used or only in part: “there is none”, “the project is not trusted”, … */
  readonly reason?: string;
  /** What it brings into the prompt, where it is used. */
  readonly text?: string;
};
