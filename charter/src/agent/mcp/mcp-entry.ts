/** What is believed of a server's tools. A server's own words about them are a stranger's. */
type McpUse = {
  /**
   * The tools that only read, by name; `*` stands for any letters. They are not sensitive, and calls of one answer run
   * side by side. "annotated": those of which the server says so itself. None, unless given.
   */
  readonly reads?: readonly string[] | "annotated";
  /**
   * What is done with its tools when they are first seen and the screen finds nothing in them. "screen": they are
   * offered, unless given otherwise. "ask": a person is asked, once for all of them.
   */
  readonly pin?: "screen" | "ask";
  /** false: none of its tools needs a person's approval in a tainted turn. */
  readonly sensitive?: boolean;
  /** Seconds that one call may take: 60, unless given. The agent's own limit holds as well. */
  readonly seconds?: number;
};

/** A program that is started and spoken to over its standard input and output. */
export type McpProgram = {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Its whole environment, besides PATH and HOME: values by name, or names of variables that are handed on. */
  readonly env?: Readonly<Record<string, string>> | readonly string[];
  /** The directory it is started in. */
  readonly cwd?: string;
};

/** A server that is reached at an address (streamable HTTP). */
type McpAddress = {
  readonly url: string;
  /** Sent with each request, for a key. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** An MCP server, as `mcp` in charter.config.ts describes it: `{ files: { command: [...] } }` or `{ notes: { url } }`. */
export type McpEntry = McpUse & (McpProgram | McpAddress);

/** A server's name is part of the names of its tools. */
export const serverName = /^[a-z][a-z0-9-]{0,23}$/;

/** How much of a server is taken. */
export const mcpLimits = {
  tools: 64,
  pages: 16,
  descriptionChars: 8192,
  schemaChars: 32_768,
  /** A longer message is not read. */
  messageBytes: 4 * 1024 * 1024,
  connectMs: 60_000,
  listMs: 20_000,
  /** How long a turn waits for a server that is just being started. */
  waitMs: 10_000,
  /** After so long a server is asked for its tools again, also if it did not say that they changed. */
  freshMs: 60_000,
  /** Between attempts to reach a server that is not there: the first pause, and the longest. */
  pauseMs: [1000, 60_000],
} as const;
