import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { withinLimit } from "../../delivery/acp/agent-process.ts";
import { objectOf, openPeer, type Peer } from "../../delivery/acp/peer.ts";
import { identityMessage, sessionFields, textBlock } from "../../delivery/acp/prompt.ts";
import { readUpdate } from "../../delivery/acp/session-update.ts";
import type { IdentitySlot } from "../../delivery/model.ts";
import { reasonOf } from "../../prompt/problem.ts";
import { type LoopbackModel, type LoopbackRequest, openLoopbackModel } from "./loopback-model.ts";

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

/**
 * Where a word stood in what a model was asked: with the instructions, in a user's message, in another place of a
 * request (a tool, say), or in none of them.
 */
export type CanaryPlace = "system" | "user" | "elsewhere" | "nowhere";

type Part = { readonly role?: unknown };

/** The best place a word has in any of the requests. */
export function findCanary(word: string, requests: readonly LoopbackRequest[]): CanaryPlace {
  const places = requests.map((request) => placeIn(word, request));
  return (["system", "user", "elsewhere"] as const).find((place) => places.includes(place)) ?? "nowhere";
}

function placeIn(word: string, { api, body }: LoopbackRequest): CanaryPlace {
  const has = (part: unknown) => part !== undefined && JSON.stringify(part).includes(word);
  const asked = Object(body) as Readonly<Record<string, unknown>>;
  const { instructions, messages } = {
    anthropic: { instructions: asked.system, messages: asked.messages },
    "openai-responses": { instructions: asked.instructions, messages: asked.input },
    "openai-chat": { instructions: undefined, messages: asked.messages },
    gemini: { instructions: asked.systemInstruction ?? asked.system_instruction, messages: asked.contents },
  }[api];
  const parts: readonly Part[] = Array.isArray(messages) ? messages.map(Object) : [];
  const ofRole = (...roles: readonly unknown[]) => parts.filter(({ role }) => roles.includes(role));
  if (has(instructions) || has(ofRole("system", "developer"))) return "system";
  if ((typeof messages === "string" && has(messages)) || has(ofRole("user"))) return "user";
  return has(body) ? "elsewhere" : "nowhere";
}

/** Where an agent is tried: an empty directory, a home as empty, and a model behind it that is on this machine. */
type ProbeDirectory = {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly loopback: LoopbackModel;
};

/** A key that opens nothing. */
const dummyKey = "sk-ant-api03-loopback-0000000000000000000000000000000000000000";

/** Makes such a place, and takes it away again after the work. */
export async function withProbeDirectory<Result>(
  env: Readonly<Record<string, string>>,
  work: (place: ProbeDirectory) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "charter-probe-"));
  const [home, directory] = [join(folder, "home"), join(folder, "work")];
  const loopback = await openLoopbackModel();
  try {
    await mkdir(directory);
    await writeHome(home, loopback.url);
    return await work({ directory, env: { ...environmentOf(home, loopback.url), ...env }, loopback });
  } finally {
    await loopback.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The files without which an agent would not take the variables below. */
async function writeHome(home: string, url: string): Promise<void> {
  const files: Readonly<Record<string, string>> = {
    ".codex/config.toml": `openai_base_url = "${url}/v1"\n`,
    ".gemini/settings.json": JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }),
  };
  for (const [name, text] of Object.entries(files)) {
    const file = join(home, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** PATH is this process's. The others lead to the loopback model, by the names that the usual agents read. */
function environmentOf(home: string, url: string): Readonly<Record<string, string>> {
  return {
    PATH: [dirname(process.execPath), process.env.PATH].filter(Boolean).join(delimiter),
    HOME: home,
    ANTHROPIC_API_KEY: dummyKey,
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CODEX_API_KEY: dummyKey,
    CODEX_HOME: join(home, ".codex"),
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    GEMINI_API_KEY: dummyKey,
    GOOGLE_GEMINI_BASE_URL: url,
    NO_BROWSER: "1",
    OPENAI_API_KEY: dummyKey,
    OPENAI_BASE_URL: `${url}/v1`,
  };
}

/** The line of what a program printed on standard error that says most: the last that speaks of an error, or the last. */
export function errorLine(tail: string): string {
  const lines = tail.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => line !== "");
  const line = said.findLast((one) => /error|cannot|not found|failed/i.test(one)) ?? said.at(-1);
  return line === undefined ? "" : ` Its error output: ${line}`;
}
