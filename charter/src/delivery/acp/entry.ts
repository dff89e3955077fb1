import type { Permission } from "../model.ts";

/** The decision on permissions, by the kind of tool or for all kinds at once. */
export type PermissionPolicy = Permission | Readonly<Partial<Record<ToolKind | "default", Permission>>>;

/** The kinds of tools that the protocol knows. */
export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "switch_mode"
  | "other";

/** An agent that is reached over ACP, as `acp` in charter.config.ts describes it: `{ claude: { command: [...] } }`. */
export type AcpEntry = {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Environment of the program, besides PATH; nothing else is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The directory of the operator's own turns. Turns of users, and all turns without it, have a directory of their own per agent
   * and user.
   */
  readonly cwd?: string;
  /** The decision on its requests for permission; by default "deny" in users' turns and "hold" in the operator's. */
  readonly permissions?: PermissionPolicy;
  /** true: a service takes turns with it, for users. Its tools run with the rights of this process. */
  readonly served?: boolean;
  /** true: what its tools read is trusted. */
  readonly trusted?: boolean;
  /** false: it is not given our tools, and the prompt names none. */
  readonly tools?: boolean;
  /** true: our prompt replaces the agent's own, where it says that this can be done. */
  readonly override?: boolean;
  /** Maximum bytes of a system prompt, and of a message; 512 KiB by default. */
  readonly sizeLimit?: number;
  /** Maximum number of turns before its session starts anew. */
  readonly turnsPerSession?: number;
  /** The way to sign in, by the id the agent gives it, for agents that require `authenticate`. */
  readonly authenticate?: string;
};

export const usualSizeLimit = 512 * 1024;
