import type { IdentitySlot, ToolCall, ToolOffer, ToolResult } from "../../model.ts";
import type { AcpEntry } from "../entry.ts";
import type { KnownSession, SeenHistory } from "../history-sync.ts";
import { sessionFields } from "../session-fields.ts";
import { openToolServer, type ToolServer } from "../tools/tool-server.ts";
import type { Peer } from "../wire/peer.ts";
import { type WaitResult, withinLimit } from "../wire/within-limit.ts";
import type { PreviousSession } from "./previous-session.ts";

/** A session of an agent that one of our conversations has. It is valid as long as we know all that was said in it. */
export type Conversation = KnownSession & {
  readonly peer: Peer;
  /** The agent's own id of it. */
  readonly session: string;
  readonly slot: IdentitySlot;
  readonly tools: ToolServer | undefined;
  /** The tools and the caller of the turn that is under way. */
  readonly desk: ToolDesk;
  seen: SeenHistory;
  turns: number;
  /** What it has cost so far, as the agent says. */
  dollars: number;
};

/** Where calls of our tools arrive: outside of a turn nobody takes them. */
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
  /** A session of before that is opened again, in place of a new one. */
  readonly previous?: PreviousSession | undefined;
  readonly limitMs: number;
  readonly signal: AbortSignal;
};

/**
 * Opens a session with the identity in its slot, and our tools beside it. Nothing of the conversation is sent yet; what an
 * agent repeats of it when it opens one again, nobody is told.
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

/** Lets go of a session: the agent is told, where it wants to know, and our tools are closed. */
export async function closeConversation({ peer, session, tools }: Conversation): Promise<void> {
  if (!peer.isOver() && peer.advertised.closes) peer.call("session/close", { sessionId: session }).catch(() => {});
  await tools?.close();
}
