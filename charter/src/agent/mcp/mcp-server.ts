import { isRecord } from "../../prompt/argument.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import { withTimeout } from "../limits.ts";
import { connectClient, loadClient, type McpClient, tooLargeCode } from "./client.ts";
import { digestOf, type McpEntry, mcpLimits, readTools, type ServerTool, type UnusableTool } from "./mcp-entry.ts";

/** The tools a server offers now, or why they are not known. */
export type ServerListing =
  | { readonly status: "listed"; readonly tools: readonly ServerTool[]; readonly unusable: readonly UnusableTool[] }
  | { readonly status: "unavailable"; readonly because: string };

/** The result of a call: the server's words, or ours about why there are none. */
type ServerCall =
  | { readonly status: "answered"; readonly text: string; readonly failed: boolean }
  | { readonly status: "unavailable"; readonly because: string };

/** A connection to one MCP server, which all agents of this process share. It is opened when it is first needed. */
export type McpServer = {
  readonly list: () => Promise<ServerListing>;
  readonly call: (tool: string, input: object, about: CallOptions) => Promise<ServerCall>;
  readonly read: (uri: string, timeoutMs: number) => Promise<ServerResource>;
  readonly close: () => Promise<void>;
};

/** The text of a resource as its server has it now, or why it is not known: in our words, since no model sees it fenced. */
export type ServerResource =
  | { readonly status: "answered"; readonly text: string }
  | { readonly status: "unavailable"; readonly because: string };

/** Connections to servers by name. Each is opened when it is first needed, and shared. */
export type McpServers = {
  readonly names: readonly string[];
  readonly entryOf: (name: string) => McpEntry | undefined;
  /** Returns the connection to a server that has an entry. */
  readonly of: (name: string) => McpServer;
  readonly read: (name: string, uri: string, timeoutMs: number) => Promise<ServerResource>;
  readonly close: () => Promise<void>;
};

export function createMcpServers(
  mcp: Readonly<Record<string, McpEntry>>,
  env: ServerOptions["env"] = process.env,
): McpServers {
  const servers = new Map<string, McpServer>();
  const entryOf = (name: string) => (Object.hasOwn(mcp, name) ? mcp[name] : undefined);
  const of = (name: string) => {
    const known = servers.get(name) ?? createMcpServer({ entry: entryOf(name) as McpEntry, env, now: Date.now });
    servers.set(name, known);
    return known;
  };
  return {
    names: Object.keys(mcp),
    entryOf,
    of,
    read: async (name, ...asked) =>
      entryOf(name)
        ? of(name).read(...asked)
        : { status: "unavailable", because: "it is no MCP server in charter.config.ts here" },
    close: async () => {
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}

type CallOptions = {
  readonly signal: AbortSignal;
  /** The digest of the tool as it was offered: if the tool is known to have changed since, nothing is called. */
  readonly digest: string;
  readonly tool: ServerTool;
};

type ServerOptions = {
  readonly entry: McpEntry;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
};

const notYet = "it has not answered yet";

type Listed = Extract<ServerListing, { status: "listed" }>;

function createMcpServer(options: ServerOptions): McpServer {
  const { entry, now } = options;
  let connection: Promise<McpClient> | undefined;
  let listed: { readonly listing: Listed; readonly at: number } | undefined;
  let changes = 0;
  let failures = 0;
  let lastFault = { at: Number.NEGATIVE_INFINITY, because: "" };
  let closed = false;

  const lost = (one: Promise<McpClient>) => {
    if (connection !== one) return;
    connection = undefined;
    listed = undefined;
  };
  /** Returns the connection, or opens one; during the pause between attempts it fails with the last fault. */
  const open = (): Promise<McpClient> => {
    if (closed) return Promise.reject(unreachable("it was closed"));
    if (connection) return connection;
    const [first, maxPause] = mcpLimits.pauseMs;
    const pause = failures === 0 ? 0 : Math.min(first * 2 ** (failures - 1), maxPause);
    if (now() - lastFault.at < pause) return Promise.reject(unreachable(lastFault.because));
    const made: Promise<McpClient> = connectClient({
      ...options,
      onClose: () => lost(made),
      onListChanged: () => {
        changes += 1;
        listed = undefined;
      },
    });
    connection = made;
    made.then(
      () => {
        failures = 0;
      },
      async (error: unknown) => {
        lost(made);
        failures += 1;
        lastFault = { at: now(), because: faultText(await faultOf(error)) };
      },
    );
    return made;
  };
  /** Gives up a connection that does not work, so that the next call opens another. */
  const giveUp = async () => {
    const one = connection;
    if (!one) return;
    lost(one);
    await one.then(({ close }) => close()).catch(() => {});
  };
  const listAnew = async (): Promise<ServerListing> => {
    const { client } = await open();
    const before = changes;
    const signal = AbortSignal.timeout(mcpLimits.listMs);
    const { tools } = await client.listTools(undefined, { signal, timeout: mcpLimits.listMs, cacheMode: "bypass" });
    const listing: Listed = { status: "listed", ...readTools(tools) };
    // A list that changed while it was read is read again by whoever needs it next.
    if (changes === before) listed = { listing, at: now() };
    return listing;
  };
  const unavailable = (because: string) => ({ status: "unavailable", because }) as const;
  const list = async (): Promise<ServerListing> => {
    if (listed && connection && now() - listed.at < mcpLimits.freshMs) return listed.listing;
    const work = listAnew().catch(async (error: unknown) => {
      await giveUp();
      return unavailable(faultText(await faultOf(error)));
    });
    return withTimeout(mcpLimits.waitMs, work, () => unavailable(notYet));
  };
  const digestNow = (tool: string) => {
    const current = listed?.listing.tools.find(({ name }) => name === tool);
    return current && digestOf(current);
  };
  return {
    list,
    call: async (tool, input, { signal, digest, tool: offered }) => {
      // A server that was lost, or said that its tools changed, may offer other tools by now.
      if (!listed) await list();
      if ((digestNow(tool) ?? digest) !== digest)
        return unavailable("its description has changed since it was offered, and waits for a person");
      const opened = open().catch(async (error: unknown) => unavailable(faultText(await faultOf(error))));
      const reached = await withTimeout(mcpLimits.waitMs, opened, () => unavailable(notYet), signal);
      if ("status" in reached) return reached;
      const seconds = entry.seconds ?? 60;
      try {
        // The definition has no output schema: a stranger's schema is not run here.
        const toolDefinition = { name: tool, inputSchema: { ...offered.input, type: "object" as const } };
        const asked = { name: tool, arguments: { ...input } };
        const result = await reached.client.callTool(asked, { signal, timeout: seconds * 1000, toolDefinition });
        return { status: "answered", text: resultText(result), failed: result.isError === true };
      } catch (error) {
        const fault = await faultOf(error);
        if (fault.kind === "connection" && !signal.aborted) await giveUp();
        return afterFault(fault, signal.aborted ? "the turn was stopped" : undefined, seconds);
      }
    },
    read: async (uri, timeoutMs) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const late = () => unavailable(`it did not answer in ${timeoutMs / 1000} s`);
      const work = async (): Promise<ServerResource> => {
        try {
          const { client } = await open();
          const asked = { signal, timeout: timeoutMs, cacheMode: "bypass" } as const;
          const { contents } = await client.readResource({ uri }, asked);
          const texts = contents.flatMap((one) => ("text" in one ? [one.text] : []));
          if (texts.length < contents.length) return unavailable("its resource is no text");
          return { status: "answered", text: texts.join("\n") };
        } catch (error) {
          const fault = await faultOf(error);
          if (fault.kind === "connection" && !signal.aborted) await giveUp();
          return fault.kind === "late" ? late() : unavailable(faultText(fault));
        }
      };
      return withTimeout(timeoutMs, work(), late);
    },
    close: async () => {
      closed = true;
      await giveUp();
    },
  };
}

/**
 * Says what a failed call means. A call is sent once: where its answer did not come, nobody knows whether it took effect, and it
 * is not repeated.
 */
function afterFault(fault: McpFault, stopped: string | undefined, seconds: number): ServerCall {
  if (fault.kind === "answered" && fault.code !== tooLargeCode)
    return { status: "answered", text: fault.said, failed: true };
  if (fault.kind === "answered") return { status: "unavailable", because: `${faultText(fault)}; ask for less at once` };
  const because = stopped ?? (fault.kind === "late" ? `it did not answer in ${seconds} s` : fault.because);
  return { status: "unavailable", because: `${because}; whether the call took effect is not known` };
}

async function faultOf(error: unknown): Promise<McpFault> {
  if (error instanceof Problem) return { kind: "connection", because: error.message.replace(/\.$/, "") };
  if (error instanceof Error && error.cause === ownWords) return { kind: "connection", because: error.message };
  return faultReader(await loadClient())(error);
}

function faultText(fault: McpFault): string {
  if (fault.kind !== "answered") return fault.because;
  const megabytes = mcpLimits.messageBytes / 1024 / 1024;
  return fault.code === tooLargeCode
    ? `its answer is larger than ${megabytes} MB and was not read`
    : `it answers with the fault ${fault.code}`;
}

/** Marks errors whose message is already ours. */
const ownWords = Symbol("ours");

function unreachable(because: string): Error {
  return new Error(because, { cause: ownWords });
}

/** Writes a call's result as text. Parts that are no text are described, since they cannot be shown to the model. */
function resultText({ content, structuredContent }: Readonly<Record<string, unknown>>): string {
  const parts = (Array.isArray(content) ? content : []).flatMap((part) => (isRecord(part) ? [partText(part)] : []));
  if (parts.length > 0) return parts.join("\n");
  return structuredContent === undefined ? "(nothing)" : JSON.stringify(structuredContent);
}

function partText(part: Readonly<Record<string, unknown>>): string {
  const { type, text, data, mimeType, uri, name } = part;
  if (type === "text") return String(text);
  if (type === "image" || type === "audio")
    return `(${type === "image" ? "an image" : "a recording"}, ${String(mimeType)}, ${sizeOf(data)}: not shown)`;
  if (type === "resource_link") return `(a link to ${String(name ?? "")} ${String(uri)})`;
  if (type === "resource" && isRecord(part.resource)) {
    const { uri: from, text: words, blob, mimeType: kind } = part.resource;
    if (typeof words === "string") return `${String(from)}:\n${words}`;
    return `(a file, ${String(from)}, ${String(kind ?? "of no known kind")}, ${sizeOf(blob)}: not shown)`;
  }
  return `(a part of the kind “${String(type)}”: not shown)`;
}

/** Writes the size of data in base64. */
function sizeOf(data: unknown): string {
  const bytes = typeof data === "string" ? Math.floor((data.length * 3) / 4) : 0;
  return `${Math.ceil(bytes / 1024)} KB`;
}

type Sdk = typeof import("@modelcontextprotocol/client");

/** The fault of a server. Its own words are only in `said`, which is fenced wherever a model sees it; `because` is ours. */
type McpFault =
  | { readonly kind: "answered"; readonly code: number; readonly said: string }
  | { readonly kind: "late" | "misunderstood" | "connection"; readonly because: string };

const programFaults: Readonly<Record<string, string>> = {
  ENOENT: "its program was not found",
  EACCES: "its program may not be started",
  ECONNREFUSED: "nobody answers at its address",
  ENOTFOUND: "its address was not found",
};

/** Makes a function that explains an error of the library or the system in our words. */
function faultReader(sdk: Sdk): (error: unknown) => McpFault {
  const { SdkErrorCode: codes } = sdk;
  const misunderstood = new Map<string, string>([
    [codes.InvalidResult, "its answer is none that MCP knows"],
    [codes.UnsupportedResultType, "it asks for more than a tool's input, which it is not given"],
    [codes.ListPaginationExceeded, "its list of tools does not end"],
  ]);
  return (error) => {
    if (error instanceof sdk.ProtocolError) return { kind: "answered", code: error.code, said: reasonOf(error) };
    if (error instanceof sdk.SdkHttpError) return { kind: "connection", because: statusText(error.status) };
    if (error instanceof sdk.SdkError) {
      if (error.code === codes.RequestTimeout) return { kind: "late", because: "it did not answer in time" };
      const known = misunderstood.get(error.code);
      if (known !== undefined) return { kind: "misunderstood", because: known };
    }
    return { kind: "connection", because: connectionText(error) };
  };
}

function statusText(status: number): string {
  if (status === 401 || status === 403) return `it refuses our headers (status ${status})`;
  return `it answered with status ${status}`;
}

function connectionText(error: unknown): string {
  const { code, cause } = Object(error) as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  const known = [code, cause?.code].find((one) => typeof one === "string" && Object.hasOwn(programFaults, one));
  return known === undefined
    ? "the connection to it broke, or never came about"
    : (programFaults[known as string] as string);
}
