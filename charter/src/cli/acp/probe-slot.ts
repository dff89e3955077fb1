import { identityMessage, sessionFields, textBlock } from "../../delivery/acp/session-fields.ts";
import { readUpdate } from "../../delivery/acp/session-update.ts";
import { objectOf } from "../../delivery/acp/slot.ts";
import { openPeer, type Peer } from "../../delivery/acp/wire/peer.ts";
import { withinLimit } from "../../delivery/acp/wire/within-limit.ts";
import type { IdentitySlot } from "../../delivery/model.ts";
import { reasonOf } from "../../prompt/problem.ts";
import { type CanaryPlace, findCanary } from "./canary.ts";
import { errorLine } from "./error-line.ts";
import { withProbeDirectory } from "./probe-directory.ts";

/** Where a word that was put into one slot arrived. */
export type SlotTrial = {
  readonly slot: IdentitySlot;
  readonly advertised: boolean;
  /** How far it came: no session, a session, or a turn. */
  readonly got: "nothing" | "session" | "turn";
  /** "unknown": the agent asked the loopback model nothing. */
  readonly reached: CanaryPlace | "unknown";
  /** The API it asked the model by. */
  readonly api?: string;
  readonly reason?: string;
};

export type ProbeSlotOptions = {
  readonly command: readonly string[];
  /** Its environment, besides what leads it to the loopback model. */
  readonly env: Readonly<Record<string, string>>;
  /** The way to sign in, if it wants that; otherwise each that takes an API key is tried. */
  readonly signIn: string | undefined;
  /** For each start of the agent. */
  readonly limitMs: number;
  /** A word that occurs nowhere else. */
  readonly newWord: () => string;
};

/** What came of a request: its result, or why there is none. `code` is JSON-RPC's, if the agent said one. */
type Answered =
  | { readonly result: Readonly<Record<string, unknown>>; readonly fault?: undefined }
  | { readonly fault: { readonly code?: unknown; readonly message: string }; readonly result?: undefined };

type Ask = (method: string, params: object) => Promise<Answered>;

const authRequired = -32000;

/** One session whose slot holds a word, one turn in it, and where the word stood in what the model was asked. */
export async function probeSlot(
  slot: IdentitySlot,
  advertised: boolean,
  options: ProbeSlotOptions,
): Promise<SlotTrial> {
  const { command, signIn: authenticate, limitMs, newWord } = options;
  return withProbeDirectory(options.env, async ({ directory, env, loopback }) => {
    const signal = AbortSignal.timeout(limitMs);
    const nothing = { slot, advertised, got: "nothing", reached: "unknown" } as const;
    const opened = await openPeer({ command, env, directory, signal, initializeMs: limitMs, authenticate });
    if (opened.failure)
      return { ...nothing, reason: `The agent ${opened.failure.why}.${errorLine(opened.failure.tail)}` };
    const { peer } = opened;
    try {
      const word = newWord();
      const identity = `The code word of this conversation is ${word}.`;
      const ask = askWithin(peer, signal);
      const params = { cwd: directory, mcpServers: [], ...sessionFields({ slot, identity, override: false }) };
      const { result, fault } = await openSession(ask, params, peer.advertised, authenticate === undefined);
      if (fault) return { ...nothing, reason: fault.message };
      const text = [identityMessage(slot, identity), "Say hello."].filter(Boolean).join("\n\n");
      const failure = await runTurn(peer, ask, { sessionId: String(result.sessionId), text, signal });
      const { requests } = loopback;
      const reason = failure ?? (requests.length === 0 ? "It asked the loopback model nothing." : undefined);
      return {
        slot,
        advertised,
        got: failure === undefined ? "turn" : "session",
        reached: requests.length === 0 ? "unknown" : findCanary(word, requests),
        ...(requests[0] && { api: requests[0].api }),
        ...(reason !== undefined && { reason }),
      };
    } finally {
      await peer.end();
    }
  });
}

function askWithin(peer: Peer, signal: AbortSignal): Ask {
  return async (method, params) => {
    const waited = await withinLimit(peer.call(method, params), { signal });
    if (waited.kind === "done") return { result: waited.value };
    if (waited.kind !== "failed")
      return { fault: { message: `It did not answer in time.${errorLine(peer.errorTail())}` } };
    const { code, data } = objectOf(waited.error);
    const { details } = objectOf(data);
    return { fault: { code, message: [reasonOf(waited.error), details].filter(Boolean).join(": ") } };
  };
}

/** An agent that wants a sign-in first is given the dummy key in each way that takes one. */
async function openSession(
  ask: Ask,
  params: object,
  { signIns, version }: Peer["advertised"],
  mayChoose: boolean,
): Promise<Answered> {
  let opened = await ask("session/new", params);
  for (const methodId of mayChoose ? signIns.filter((id) => /api.?key/i.test(id)) : []) {
    if (opened.fault?.code !== authRequired) break;
    const { fault } = await ask(version === 1 ? "authenticate" : "auth/login", { methodId });
    if (fault === undefined) opened = await ask("session/new", params);
  }
  return opened;
}

type Turn = { readonly sessionId: string; readonly text: string; readonly signal: AbortSignal };

/** In version 2 the answer only says that the prompt was taken; its end is an update. Gives why it failed. */
async function runTurn(peer: Peer, ask: Ask, { sessionId, text, signal }: Turn): Promise<string | undefined> {
  const { promise: idle, resolve } = Promise.withResolvers<string | undefined>();
  const detach = peer.attach(sessionId, {
    onUpdate: (said) => {
      const update = readUpdate(said);
      if (update?.kind === "idle" && (update.stop !== null || update.error !== null))
        resolve(update.error ?? undefined);
    },
    onPermission: async () => ({ outcome: "cancelled" }),
  });
  const { fault } = await ask("session/prompt", { sessionId, prompt: [textBlock(text)] });
  if (fault || peer.advertised.version === 1) return fault?.message;
  const late = `Its turn did not end.${errorLine(peer.errorTail())}`;
  const waited = await withinLimit(Promise.race([idle, peer.ended.then(() => late)]), { signal });
  detach();
  return waited.kind === "done" ? waited.value : late;
}
