import type { Permission } from "../model.ts";

/** What may be asked by a tool's kind, or for all kinds at once. */
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
  /** Its whole environment, besides PATH. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The directory of the operator's own turns. Those of users, and all without it, have a directory of their own per
   * agent and user.
   */
  readonly cwd?: string;
  /** What its requests for permission come to: in users' turns "deny", in the operator's "hold", unless given. */
  readonly permissions?: PermissionPolicy;
  /** true: a service takes turns with it, for users. Its tools run with the rights of this process. */
  readonly served?: boolean;
  /** false: what its tools read counts as trusted. */
  readonly foreign?: boolean;
  /** false: it is not given our tools, and the prompt names none. */
  readonly tools?: boolean;
  /** true: our prompt replaces the agent's own, where it says that this can be done. */
  readonly override?: boolean;
  /** The most bytes of a system prompt, and of a message: 512 KiB, unless given. */
  readonly sizeLimit?: number;
  /** After so many turns its session starts anew. */
  readonly turnsPerSession?: number;
  /** The way to sign in, by the id the agent gives it, for agents that want `authenticate` first. */
  readonly authenticate?: string;
};

export const usualSizeLimit = 512 * 1024;
