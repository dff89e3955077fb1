import type { AnyMessage, RequestPermissionResponse, Stream } from "@agentclientprotocol/sdk/unstable";
import { loadPackage } from "../../../packages/load-package.ts";
import { Problem, reasonOf } from "../../../prompt/problem.ts";
import type { PermissionOutcome } from "../permission.ts";
import { type Advertisement, objectOf } from "../slot.ts";
import { type AgentProcessOptions, type ProcessEnd, startAgent } from "./agent-process.ts";
import { initialize } from "./initialize.ts";
import { withinLimit } from "./within-limit.ts";

/** Who is told of what an agent says in one of its sessions. */
type SessionListener = {
  readonly onUpdate: (update: unknown) => void;
  readonly onPermission: (request: unknown, signal: AbortSignal) => Promise<PermissionOutcome>;
};

/** An agent that is up and has said what it can. */
export type Peer = {
  readonly advertised: Advertisement;
  /** Sends a request and waits for the answer. Rejects with the agent's error, or when the agent is gone. */
  readonly call: (method: string, params: object) => Promise<Readonly<Record<string, unknown>>>;
  readonly notify: (method: string, params: object) => void;
  /** Until it is called off, this listener is told of a session; without one, nobody is. */
  readonly attach: (session: string, listener: SessionListener) => () => void;
  readonly ended: Promise<ProcessEnd>;
  readonly isOver: () => boolean;
  readonly errorTail: () => string;
  readonly end: (as?: ProcessEnd) => Promise<void>;
};

/** An agent that is up, or why it is not, in words that finish “the agent …”. */
export type OpenPeerResult =
  | { readonly peer: Peer; readonly failure?: undefined }
  | {
      /** `lasting`: it will be the same the next time. */
      readonly failure: {
        readonly why: string;
        readonly aborted?: true;
        readonly lasting?: true;
        readonly tail: string;
      };
      readonly peer?: undefined;
    };

type OpenPeerOptions = AgentProcessOptions & {
  /** The way to sign in, for agents that want that first. */
  readonly authenticate?: string | undefined;
  /** So long it may take to start, and to be signed in to. */
  readonly initializeMs: number;
  readonly signal: AbortSignal;
};

type Message = Readonly<Record<string, unknown>>;

/** Starts an agent, agrees with it on a version of the protocol, and connects the SDK's client of that version to it. */
export async function openPeer(options: OpenPeerOptions): Promise<OpenPeerResult> {
  const { initializeMs: milliseconds, signal, authenticate } = options;
  // Most speak the first version: its client is loaded while they start.
  const first = loadPackage("@agentclientprotocol/sdk/unstable", purpose);
  first.catch(() => {});
  const agent = startAgent(options);
  const said = await initialize(agent, { milliseconds, signal });
  if (said.failure) {
    await agent.end();
    return { failure: { ...said.failure, tail: agent.errorTail() } };
  }
  const { advertised, answer } = said;
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
        // The SDK's client has to see an exchange that has been had already.
        if ("method" in message && message.method === "initialize")
          return handOn({ jsonrpc: "2.0", id: (message as { id: number }).id, result: answer });
        if ("method" in message && "id" in message) asked.add(message.id);
        await agent.send(message as Message);
      },
    }),
  };
  agent.listen((message) => {
    // Taken here and in order: the SDK may hand on an answer before it has handed on what came before it.
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
