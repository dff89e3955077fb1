import type { AnyMessage, RequestPermissionResponse, Stream } from "@agentclientprotocol/sdk/unstable";
import { loadPackage } from "../../packages/load-package.ts";
import { isRecord } from "../../prompt/argument.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { IdentitySlot, Permission } from "../model.ts";
import {
  type AgentProcess,
  type AgentProcessOptions,
  type ProcessEnd,
  startAgent,
  withinLimit,
} from "./agent-process.ts";
import type { PermissionPolicy } from "./entry.ts";
import known from "./known-agents.json" with { type: "json" };

/** Receives an agent's messages about one of its sessions. */
type SessionListener = {
  readonly onUpdate: (update: unknown) => void;
  readonly onPermission: (request: unknown, signal: AbortSignal) => Promise<PermissionOutcome>;
};

/** An agent that is running and has answered `initialize`. */
export type Peer = {
  readonly advertised: Advertisement;
  /** Sends a request and waits for the answer. Rejects with the agent's error, or when the agent is gone. */
  readonly call: (method: string, params: object) => Promise<Readonly<Record<string, unknown>>>;
  readonly notify: (method: string, params: object) => void;
  /** Attaches a listener to a session and returns how to detach it. Messages of a session without one are ignored. */
  readonly attach: (session: string, listener: SessionListener) => () => void;
  readonly ended: Promise<ProcessEnd>;
  readonly isOver: () => boolean;
  readonly errorTail: () => string;
  readonly end: (as?: ProcessEnd) => Promise<void>;
};

/** A running agent, or why it does not run, in words that finish “the agent …”. */
export type OpenPeerResult =
  | { readonly peer: Peer; readonly failure?: undefined }
  | {
      /** `lasting`: a retry would fail the same way. */
      readonly failure: {
        readonly why: string;
        readonly aborted?: true;
        readonly lasting?: true;
        readonly tail: string;
      };
      readonly peer?: undefined;
    };

type OpenPeerOptions = AgentProcessOptions & {
  /** The way to sign in, for agents that require it. */
  readonly authenticate?: string | undefined;
  /** Maximum milliseconds to start, and to sign in. */
  readonly initializeMs: number;
  readonly signal: AbortSignal;
};

type Message = Readonly<Record<string, unknown>>;

/** Starts an agent, agrees with it on a version of the protocol, and connects the SDK's client of that version to it. */
export async function openPeer(options: OpenPeerOptions): Promise<OpenPeerResult> {
  const { initializeMs: milliseconds, signal, authenticate } = options;
  // Loads the client of the first version while the agent starts, because most agents speak that version.
  const first = loadPackage("@agentclientprotocol/sdk/unstable", purpose);
  first.catch(() => {});
  const agent = startAgent(options);
  const handshake = await initialize(agent, { milliseconds, signal });
  if (handshake.failure) {
    await agent.end();
    return { failure: { ...handshake.failure, tail: agent.errorTail() } };
  }
  const { advertised, answer } = handshake;
  const sessions = new Map<string, SessionListener>();
  const asked = new Set<unknown>();
  let read: ReadableStreamDefaultController<AnyMessage> | undefined;
  const handOn = (message: Message) => {
    try {
      read?.enqueue(message as unknown as AnyMessage);
    } catch {
      // The connection is over: nobody reads any more.
    }
  };
  const stream: Stream = {
    readable: new ReadableStream<AnyMessage>({
      start: (controller) => {
        read = controller;
      },
    }),
    writable: new WritableStream<AnyMessage>({
      write: async (message) => {
        // Answers `initialize` for the agent: the SDK's client has to see that exchange, which has happened already.
        if ("method" in message && message.method === "initialize")
          return handOn({ jsonrpc: "2.0", id: (message as { id: number }).id, result: answer });
        if ("method" in message && "id" in message) asked.add(message.id);
        await agent.send(message as Message);
      },
    }),
  };
  agent.listen((message) => {
    // Handles updates here and in order: the SDK may hand on an answer before the messages that preceded it.
    if (message.method === "session/update" && !("id" in message)) {
      const { sessionId, update } = objectOf(message.params);
      if (typeof sessionId === "string") sessions.get(sessionId)?.onUpdate(update);
    } else if ("method" in message || asked.delete(message.id)) handOn(message);
  });
  void agent.ended.then(({ why }) => read?.error(new Error(`the agent ${why}`)));

  const permit = async (params: unknown, called: AbortSignal): Promise<RequestPermissionResponse> => {
    const { sessionId } = objectOf(params);
    const listener = typeof sessionId === "string" ? sessions.get(sessionId) : undefined;
    const outcome = (await listener?.onPermission(params, called)) ?? ({ outcome: "cancelled" } as const);
    return { outcome };
  };
  const connecting = first.then((sdk) =>
    advertised.version === 1 ? connectFirst(sdk, stream, permit) : connectSecond(stream, permit),
  );
  const connection = await connecting.catch(async (error: unknown) => {
    await agent.end();
    if (error instanceof Problem) throw error;
    return undefined;
  });
  if (!connection)
    return { failure: { why: "said of itself what the protocol does not know", tail: agent.errorTail() } };
  if (authenticate !== undefined) {
    const method = advertised.version === 1 ? "authenticate" : "auth/login";
    const signedIn = await withinLimit(connection.request(method, { methodId: authenticate }), {
      milliseconds,
      signal,
    });
    if (signedIn.kind !== "done") {
      await agent.end();
      const why = `could not be signed in to as “${authenticate}”${signedIn.kind === "failed" ? `: ${reasonOf(signedIn.error)}` : ""}`;
      return { failure: { why, tail: agent.errorTail(), ...(signedIn.kind === "aborted" ? { aborted: true } : {}) } };
    }
  }
  return {
    peer: {
      advertised,
      call: async (method, params) => objectOf(await connection.request(method, params)),
      notify: (method, params) => void connection.notify(method, params).catch(() => {}),
      attach: (session, listener) => {
        sessions.set(session, listener);
        return () => {
          if (sessions.get(session) === listener) sessions.delete(session);
        };
      },
      ended: agent.ended,
      isOver: agent.isOver,
      errorTail: agent.errorTail,
      end: agent.end,
    },
  };
}

type Caller = {
  readonly request: (method: string, params: object) => Promise<unknown>;
  readonly notify: (method: string, params: object) => Promise<void>;
};

type Permit = (params: unknown, signal: AbortSignal) => Promise<RequestPermissionResponse>;

const purpose = { purpose: "An agent over ACP" };

function connectFirst(sdk: typeof import("@agentclientprotocol/sdk/unstable"), stream: Stream, permit: Permit): Caller {
  return sdk
    .client({ name: "charter" })
    .onRequest(sdk.methods.client.session.requestPermission, ({ params, signal }) => permit(params, signal))
    .connect(stream).agent;
}

async function connectSecond(stream: Stream, permit: Permit): Promise<Caller> {
  const sdk = await loadPackage("@agentclientprotocol/sdk/experimental/v2/unstable", purpose);
  const { agent } = sdk
    .client({ name: "charter" })
    .onRequest(sdk.methods.client.session.requestPermission, ({ params, signal }) => permit(params, signal))
    .connect(stream);
  const info = { name: "charter", version: "1" };
  await agent.request(sdk.methods.agent.initialize, { protocolVersion: 2, info, capabilities: {} });
  return agent;
}

/** The answer of an agent that is ready, or why it is not, in words that finish “the agent …”. */
type InitializeResult =
  | { readonly advertised: Advertisement; readonly answer: unknown; readonly failure?: undefined }
  | { readonly failure: { readonly why: string; readonly aborted?: true }; readonly advertised?: undefined };

type Limits = { readonly milliseconds: number; readonly signal: AbortSignal };

const info = { name: "charter", title: "Charter", version: "1" };

/**
 * Asks an agent for the newest version of the protocol, with the fields of both versions: an agent that knows only the first
 * answers with that. One that refuses any other version is asked once more, in its own. We offer no files and no terminal. With
 * `only`, it is asked for this version alone.
 */
export async function initialize(agent: AgentProcess, limits: Limits, only?: 1 | 2): Promise<InitializeResult> {
  const first = { clientCapabilities: {}, clientInfo: info };
  if (only !== 1) {
    const newest = await ask(agent, { ...first, protocolVersion: 2, capabilities: {}, info }, limits);
    if (!newest.refused || only === 2) return newest.result;
  }
  return (await ask(agent, { ...first, protocolVersion: 1 }, limits)).result;
}

async function ask(
  agent: AgentProcess,
  params: Readonly<Record<string, unknown>>,
  limits: Limits,
): Promise<{ readonly result: InitializeResult; readonly refused?: true }> {
  const id = `initialize-${params.protocolVersion}`;
  const { promise: answered, resolve } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  agent.listen((message) => {
    if (message.id === id && !("method" in message)) resolve(message);
  });
  const failure = (why: string) => ({ result: { failure: { why } } });
  agent.send({ jsonrpc: "2.0", id, method: "initialize", params }).catch(() => {});
  const waited = await withinLimit(Promise.race([answered, agent.ended]), limits);
  if (waited.kind === "aborted") return { result: { failure: { why: "was not waited for", aborted: true } } };
  if (waited.kind !== "done") return failure(`did not answer within ${limits.milliseconds / 1000} seconds`);
  if ("why" in waited.value) return failure(String(waited.value.why));
  const { result, error } = waited.value as Readonly<Record<string, unknown>>;
  if (error !== undefined) {
    const message = objectOf(error).message;
    return {
      ...failure(`refused to start: ${typeof message === "string" ? message : "it did not say why"}`),
      refused: true,
    };
  }
  const advertised = readInitialize(result);
  if (advertised === undefined) return failure("speaks a version of the protocol that is not known here");
  return { result: { advertised, answer: result } };
}

/** The parts of an agent's answer to `initialize` that matter to us. */
type Advertisement = {
  readonly version: 1 | 2;
  /** The agent's own name, if it gives one. */
  readonly name: string | null;
  readonly slot: IdentitySlot;
  /** Shows that our prompt may replace the agent's own. */
  readonly override: boolean;
  /** The method that opens a previous session again; null if there is none. */
  readonly reopen: "resume" | "load" | null;
  /** Shows that sessions can be closed. */
  readonly closes: boolean;
  /** Shows that it starts MCP servers that speak over standard input and output. */
  readonly startsServers: boolean;
  /** The ids of the ways to sign in. */
  readonly signIns: readonly string[];
};

/**
 * Reads an agent's answer to `initialize`. Anything is accepted: fields that do not follow the protocol are ignored. An unknown
 * version gives undefined.
 */
export function readInitialize(answer: unknown): Advertisement | undefined {
  const read = readFields(answer);
  if (read === undefined) return undefined;
  const { fields, version, capabilities, session, name } = read;
  const { systemPrompt } = session;
  return {
    version,
    name: typeof name === "string" ? name : null,
    slot: slotsOf(read)[0],
    override: isRecord(systemPrompt) && isRecord(objectOf(systemPrompt.mode).override),
    reopen: version === 2 || isRecord(session.resume) ? "resume" : capabilities.loadSession === true ? "load" : null,
    closes: version === 2 || isRecord(session.close),
    startsServers: version === 1 || isRecord(objectOf(session.mcp).stdio),
    signIns: signInsOf(fields.authMethods),
  };
}

/** Lists every advertised slot, the best first. The first message is always possible. */
export function advertisedSlots(answer: unknown): readonly IdentitySlot[] {
  const read = readFields(answer);
  return read === undefined ? [] : slotsOf(read);
}

type AnswerFields = NonNullable<ReturnType<typeof readFields>>;

/** Reads the fields whose place differs between the two versions. */
function readFields(answer: unknown) {
  const fields = objectOf(answer);
  const version = fields.protocolVersion;
  if (version !== 1 && version !== 2) return undefined;
  const capabilities = objectOf(version === 1 ? fields.agentCapabilities : fields.capabilities);
  const session = objectOf(version === 1 ? capabilities.sessionCapabilities : capabilities.session);
  const { name } = objectOf(version === 1 ? fields.agentInfo : fields.info);
  return { fields, version, capabilities, session, name } as const;
}

/** Lists the slots that were advertised, the best first. The version alone decides nothing. */
function slotsOf({ capabilities, session, name }: AnswerFields): readonly [...IdentitySlot[], IdentitySlot] {
  const meta = objectOf(capabilities._meta);
  const hints: readonly (readonly [IdentitySlot, boolean])[] = [
    ["system-prompt", isRecord(session.systemPrompt)],
    ["meta-append", typeof name === "string" && Object.hasOwn(known.agents, name)],
    ["meta-buzz", Object.hasOwn(meta, "buzz.systemPrompt") && meta["buzz.systemPrompt"] === true],
  ];
  return [...hints.filter(([, isThere]) => isThere).map(([slot]) => slot), "first-message"];
}

function signInsOf(methods: unknown): string[] {
  if (!Array.isArray(methods)) return [];
  // Version 2 calls an id a methodId.
  const ids = methods.map(objectOf).map(({ id, methodId }) => id ?? methodId);
  return ids.filter((id) => typeof id === "string");
}

/** Returns a value as an object; an empty one where it is none. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/**
 * Returns the configured permission for a kind of tool. By default the operator is asked, and users are denied: they have no one
 * to ask.
 */
export function policyFor(policy: PermissionPolicy | undefined, kind: string, operator: boolean): Permission {
  const fallback = operator ? "hold" : "deny";
  if (policy === undefined) return fallback;
  if (typeof policy === "string") return policy;
  const own = Object.hasOwn(policy, kind) ? policy[kind as keyof typeof policy] : undefined;
  return own ?? policy.default ?? fallback;
}

/** The answer to a request for permission, as both versions of the protocol have it. */
export type PermissionOutcome =
  | { readonly outcome: "selected"; readonly optionId: string }
  | { readonly outcome: "cancelled" };

/**
 * Chooses among the options of a request. Only options that apply once are chosen, never an “always”: where nothing can be
 * allowed once, the request is rejected, and where nothing can be rejected once, it is cancelled.
 */
export function chooseOption(options: unknown, decision: "allow" | "deny"): PermissionOutcome {
  const offered = (Array.isArray(options) ? options : []).map(objectOf);
  const idOf = (kind: string) => {
    const { optionId } = objectOf(
      offered.find((option) => option.kind === kind && typeof option.optionId === "string"),
    );
    return optionId as string | undefined;
  };
  const optionId = (decision === "allow" ? idOf("allow_once") : undefined) ?? idOf("reject_once");
  return optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
}
