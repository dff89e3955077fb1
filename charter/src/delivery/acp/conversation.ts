import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sha256 } from "../../prompt/prompt.ts";
import type { IdentitySlot, Message, ToolCall, ToolOffer, ToolResult } from "../model.ts";
import { type WaitResult, withinLimit } from "./agent-process.ts";
import type { AcpEntry } from "./entry.ts";
import { objectOf, type Peer } from "./peer.ts";
import { type KnownSession, type SeenHistory, sessionFields } from "./prompt.ts";
import { openToolServer, type ToolServer } from "./tool-server.ts";

/**
 * A session of an agent that belongs to one of our conversations. It is valid as long as we know everything that was said in it.
 */
export type Conversation = KnownSession & {
  readonly peer: Peer;
  /** The agent's own id of the session. */
  readonly session: string;
  readonly slot: IdentitySlot;
  readonly tools: ToolServer | undefined;
  /** The tools and the caller of the running turn. */
  readonly desk: ToolDesk;
  seen: SeenHistory;
  turns: number;
  /** The session's cost so far, as the agent reports it. */
  dollars: number;
};

/** The receiver of calls to our tools; between turns it takes none. */
type ToolDesk = {
  offers: readonly ToolOffer[];
  call: ((call: ToolCall) => Promise<ToolResult>) | undefined;
};

type OpenConversationOptions = {
  readonly peer: Peer;
  readonly entry: AcpEntry;
  readonly directory: string;
  readonly identity: string;
  readonly digest: string;
  readonly withTools: boolean;
  /** The tools of the turn that opens it: most agents ask for the list while they open a session, and never again. */
  readonly offers: readonly ToolOffer[];
  /** A previous session to be opened again instead of a new one. */
  readonly previous?: PreviousSession | undefined;
  readonly limitMs: number;
  readonly signal: AbortSignal;
};

/**
 * Opens a session with the identity in its slot, and our tools beside it. Nothing of the conversation is sent yet. An agent may
 * repeat the conversation when it opens one again; that is ignored.
 */
export async function openConversation(options: OpenConversationOptions): Promise<WaitResult<Conversation>> {
  const { peer, entry, directory, identity, digest, withTools, offers, previous, limitMs, signal } = options;
  const { slot, override, version, reopen } = peer.advertised;
  const desk: ToolDesk = { offers, call: undefined };
  const tools = withTools
    ? await openToolServer({ offers: () => desk.offers, call: async (call) => await callAt(desk, call) })
    : undefined;
  const servers = tools === undefined ? [] : [version === 1 ? tools.config : { type: "stdio", ...tools.config }];
  const fields = sessionFields({ slot, identity, override: entry.override === true && override });
  const given = { cwd: directory, mcpServers: servers, ...fields };
  const opening =
    previous === undefined
      ? peer.call("session/new", given)
      : peer.call(`session/${reopen}`, { sessionId: previous.session, ...given });
  const waited = await withinLimit(opening, { milliseconds: limitMs, signal });
  const session = previous?.session ?? (waited.kind === "done" ? waited.value.sessionId : undefined);
  if (waited.kind !== "done" || typeof session !== "string") {
    await tools?.close();
    return waited.kind === "done" ? { kind: "failed", error: new Error("it gave the session no id") } : waited;
  }
  const { seen = { messages: 0, digest: "" }, turns = 0, dollars = 0 } = previous ?? {};
  const value = { peer, session, slot, tools, desk, identity: digest, seen, turns, dollars };
  return { kind: "done", value };
}

async function callAt(desk: ToolDesk, call: ToolCall): Promise<ToolResult> {
  if (desk.call) return await desk.call(call);
  return { call: call.id, name: call.name, output: "No turn is under way, so nothing was done.", failed: true };
}

/** Closes a session: the agent is told, if it supports that, and our tools are closed. */
export async function closeConversation({ peer, session, tools }: Conversation): Promise<void> {
  if (!peer.isOver() && peer.advertised.closes) peer.call("session/close", { sessionId: session }).catch(() => {});
  await tools?.close();
}

/** A session that an agent had with us before its process, or ours, was started again. */
export type PreviousSession = {
  /** The agent, as `acp/<name>`. */
  readonly name: string;
  /** The agent's own id of the session. */
  readonly session: string;
  readonly slot: IdentitySlot;
  /** The digest of the identity it was given. */
  readonly identity: string;
  readonly seen: SeenHistory;
  readonly turns: number;
  readonly dollars: number;
};

/** Returns the part of an answer that identifies its session; it comes back with the history. */
export function nativeOf(previous: PreviousSession): { readonly acp: PreviousSession } {
  return { acp: previous };
}

/** Finds the session of the last answer in a history, if an agent over ACP gave it. */
export function previousIn(history: readonly Message[]): PreviousSession | undefined {
  const last = history.findLast((message) => message.role === "assistant");
  const { name, session, slot, identity, seen, turns, dollars } = objectOf(objectOf(last?.native).acp);
  const { messages, digest } = objectOf(seen);
  const texts = [name, session, slot, identity, digest];
  const numbers = [messages, turns, dollars];
  if (!texts.every((one) => typeof one === "string") || !numbers.every((one) => typeof one === "number"))
    return undefined;
  return { name, session, slot, identity, seen: { messages, digest }, turns, dollars } as PreviousSession;
}

/**
 * Records across restarts what an agent's session has been told; nothing while a prompt is running. So a session whose turn was
 * cut off, or that continued without us, is never opened again as if nothing had happened.
 */
export type SeenFiles = {
  readonly has: (session: string, seen: SeenHistory) => boolean;
  readonly keep: (session: string, seen: SeenHistory) => void;
  readonly drop: (session: string) => void;
};

export function createSeenFiles(folder: string, sha256: Sha256): SeenFiles {
  const fileOf = (session: string) => join(folder, sha256(session));
  return {
    has: (session, { digest }) => {
      try {
        return readFileSync(fileOf(session), "utf8") === digest;
      } catch {
        return false;
      }
    },
    keep: (session, { digest }) => {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(fileOf(session), digest, { mode: 0o600 });
      } catch {
        // Ignores the failure, since the answer is there already: only the session cannot be opened again.
      }
    },
    drop: (session) => rmSync(fileOf(session), { force: true }),
  };
}
