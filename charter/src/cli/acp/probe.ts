import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { startAgent, withinLimit } from "../../delivery/acp/agent-process.ts";
import { advertisedSlots, initialize, objectOf, openPeer, type Peer } from "../../delivery/acp/peer.ts";
import { identityMessage, sessionFields, textBlock } from "../../delivery/acp/prompt.ts";
import { readUpdate } from "../../delivery/acp/session-update.ts";
import type { IdentitySlot } from "../../delivery/model.ts";
import type { ProbeInput } from "../../operations/here/run.ts";
import { columns, type OutputSize, pairs } from "../../operations/print/columns.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { type LoopbackModel, type LoopbackRequest, openLoopbackModel } from "./loopback-model.ts";

/** Finds out where an agent takes a system prompt, and whether it arrives. */
export async function run({ input, json }: ParsedCommand): Promise<number> {
  const {
    program: [program = "", ...words],
    env = [],
    inherit = [],
    all = false,
    signIn,
    timeLimit,
  } = input as ProbeInput;
  const { stdout, stderr } = process;
  const report = await probeAgent({
    command: [/[/\\]/.test(program) ? resolve(program) : program, ...words],
    env: { ...inherited(inherit), ...variablesIn(env) },
    all,
    signIn,
    limitMs: timeLimit * 1000,
    newWord: () => `canary${randomBytes(8).toString("hex")}`,
    onProgress: (what) => {
      if (stderr.isTTY) stderr.write(`${what}…\n`);
    },
  });
  stdout.write(json ? `${JSON.stringify(report)}\n` : `${reportLines(report, stdout).join("\n")}\n`);
  return reachedModel(report) ? 0 : 1;
}

function variablesIn(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function inherited(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const value = process.env[name];
      if (value === undefined)
        throw new Problem("usage", `--inherit names ${name}, which is not set here.`, "See charter acp probe --help.");
      return [name, value];
    }),
  );
}

/** An agent's answer to one version of the protocol. */
export type ProtocolAnswer = {
  readonly asked: 1 | 2;
  /** Version it answered with; null if it answered with none. */
  readonly answered: 1 | 2 | null;
  /** Slots it advertises, the best first. */
  readonly slots: readonly IdentitySlot[];
  readonly reason?: string;
};

/** Findings about an agent. */
export type ProbeReport = {
  readonly command: readonly string[];
  /** Name it gives itself; null if none. */
  readonly name: string | null;
  readonly version: string | null;
  readonly protocols: readonly ProtocolAnswer[];
  readonly signIns: readonly string[];
  /** Version and slot that Charter would use; null if the agent did not start. */
  readonly chosen: { readonly protocol: 1 | 2; readonly slot: IdentitySlot } | null;
  readonly trials: readonly SlotTrial[];
};

type ProbeOptions = ProbeSlotOptions & {
  /** Tries slots that it does not advertise as well. */
  readonly all: boolean;
  readonly onProgress: (what: string) => void;
};

const everySlot: readonly IdentitySlot[] = ["system-prompt", "meta-append", "meta-buzz", "first-message"];

/** Asks an agent for its capabilities in both versions, and then tries each slot in a session of its own. */
export async function probeAgent(options: ProbeOptions): Promise<ProbeReport> {
  const { command, onProgress } = options;
  onProgress("Asking for version 2");
  const newest = await ask(options, 2);
  onProgress("Asking for version 1");
  const oldest = await ask(options, 1);
  const protocols = [newest.protocol, oldest.protocol];
  // Charter asks for version 2, and once more if that is refused.
  const { advertised, answer } = newest.advertised ? newest : await ask(options);
  if (advertised === undefined)
    return { command, name: null, version: null, protocols, signIns: [], chosen: null, trials: [] };

  const slots = advertisedSlots(answer);
  const trials: SlotTrial[] = [];
  for (const slot of options.all ? everySlot : slots) {
    onProgress(`Trying a session with a word in the slot ${slot}`);
    trials.push(await probeSlot(slot, slots.includes(slot), options));
  }
  const { version } = objectOf(advertised.version === 1 ? objectOf(answer).agentInfo : objectOf(answer).info);
  return {
    command,
    name: advertised.name,
    version: typeof version === "string" ? version : null,
    protocols,
    signIns: advertised.signIns,
    chosen: { protocol: advertised.version, slot: advertised.slot },
    trials,
  };
}

async function ask({ command, env, limitMs }: ProbeOptions, only?: 1 | 2) {
  return withProbeDirectory(env, async (place) => {
    const agent = startAgent({ command, ...place });
    try {
      const limits = { milliseconds: limitMs, signal: new AbortController().signal };
      const { advertised, failure, ...rest } = await initialize(agent, limits, only);
      const answer = "answer" in rest ? rest.answer : undefined;
      const version = only ?? 2;
      const protocol: ProtocolAnswer = advertised
        ? { asked: version, answered: advertised.version, slots: advertisedSlots(answer) }
        : { asked: version, answered: null, slots: [], reason: `It ${failure?.why}.${errorLine(agent.errorTail())}` };
      return { advertised, answer, protocol };
    } finally {
      await agent.end();
    }
  });
}

const placeNames: Readonly<Record<SlotTrial["reached"], string>> = {
  system: "system role",
  user: "user message",
  elsewhere: "another place of the request",
  nowhere: "nowhere",
  unknown: "unknown",
};

/** Checks whether Charter's prompt reached the model, in a place where a model reads it. */
export function reachedModel({ chosen, trials }: ProbeReport): boolean {
  const trial = trials.find(({ slot }) => slot === chosen?.slot);
  return trial?.reached === "system" || trial?.reached === "user";
}

/** Formats the report for people. */
export function reportLines(report: ProbeReport, output: OutputSize): string[] {
  const { name, version, protocols, signIns, chosen, trials } = report;
  const facts = pairs(
    [
      ["command", report.command.join(" ")],
      ["agent", `${name ?? "gives no name"}${version === null ? "" : ` ${version}`}`],
      ...protocols.map((one) => [`version ${one.asked}`, protocolText(one)] as const),
      ["sign-in", signIns.length === 0 ? "none offered" : signIns.join(", ")],
      ["Charter uses", chosen === null ? "nothing: it did not start" : `${chosen.slot}, version ${chosen.protocol}`],
    ],
    output,
  );
  if (trials.length === 0) return facts;
  const rows = trials.map((trial) => [
    trial.slot,
    trial.advertised ? "yes" : "no",
    trial.got === "nothing" ? "no session" : trial.got,
    placeNames[trial.reached],
    [trial.api, trial.reason].filter(Boolean).join("; "),
  ]);
  return [...facts, "", ...columns(["slot", "advertised", "came to", "the word reached", ""], rows, output)];
}

function protocolText({ asked, answered, slots, reason }: ProtocolAnswer): string {
  if (answered === null) return `no: ${reason}`;
  const advertised = slots.filter((slot) => slot !== "first-message");
  const known = advertised.length === 0 ? "advertises no slot" : `advertises ${advertised.join(", ")}`;
  return `${asked === answered ? "yes" : `answers with version ${answered}`}, ${known}`;
}

/** Result for one slot: where the canary that was put into it arrived. */
export type SlotTrial = {
  readonly slot: IdentitySlot;
  readonly advertised: boolean;
  /** Progress of the trial: no session, a session, or a turn. */
  readonly got: "nothing" | "session" | "turn";
  /** Place of the canary; "unknown" if the agent did not ask the loopback model. */
  readonly reached: CanaryPlace | "unknown";
  /** API by which it asked the model. */
  readonly api?: string;
  readonly reason?: string;
};

export type ProbeSlotOptions = {
  readonly command: readonly string[];
  /** Environment of the agent, besides what leads it to the loopback model. */
  readonly env: Readonly<Record<string, string>>;
  /** Sign-in method, if the agent requires one; by default each that takes an API key is tried. */
  readonly signIn: string | undefined;
  /** Maximum time for each start of the agent, in milliseconds. */
  readonly limitMs: number;
  /** Returns a new canary, a word that occurs nowhere else. */
  readonly newWord: () => string;
};

/** Outcome of a request: its result, or a fault. `code` is JSON-RPC's, if the agent gave one. */
type Answered =
  | { readonly result: Readonly<Record<string, unknown>>; readonly fault?: undefined }
  | { readonly fault: { readonly code?: unknown; readonly message: string }; readonly result?: undefined };

type Ask = (method: string, params: object) => Promise<Answered>;

const authRequired = -32000;

/** Tries a slot: opens a session with a canary in it, runs one turn, and finds the canary in the model's requests. */
export async function probeSlot(
  slot: IdentitySlot,
  advertised: boolean,
  options: ProbeSlotOptions,
): Promise<SlotTrial> {
  const { command, signIn, limitMs, newWord } = options;
  return withProbeDirectory(options.env, async ({ directory, env, loopback }) => {
    const signal = AbortSignal.timeout(limitMs);
    const nothing = { slot, advertised, got: "nothing", reached: "unknown" } as const;
    const opened = await openPeer({ command, env, directory, signal, initializeMs: limitMs, authenticate: signIn });
    if (opened.failure)
      return { ...nothing, reason: `The agent ${opened.failure.why}.${errorLine(opened.failure.tail)}` };
    const { peer } = opened;
    try {
      const word = newWord();
      const identity = `The code word of this conversation is ${word}.`;
      const ask = askWithin(peer, signal);
      const params = { cwd: directory, mcpServers: [], ...sessionFields({ slot, identity, override: false }) };
      const { result, fault } = await openSession(ask, params, peer.advertised, signIn === undefined);
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

/** Opens a session. An agent that requires a sign-in gets the dummy key by each method that takes one. */
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

/**
 * Runs a turn, and returns why it failed. In version 2 the answer only says that the prompt was accepted; an update says when it
 * is done.
 */
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
 * Place of the canary in the model's requests: with the instructions, in a user's message, elsewhere in a request (in a tool, for
 * example), or nowhere.
 */
export type CanaryPlace = "system" | "user" | "elsewhere" | "nowhere";

type Part = { readonly role?: unknown };

/** Best place of the canary in any of the requests. */
export function findCanary(word: string, requests: readonly LoopbackRequest[]): CanaryPlace {
  const places = requests.map((request) => placeIn(word, request));
  return (["system", "user", "elsewhere"] as const).find((place) => places.includes(place)) ?? "nowhere";
}

function placeIn(word: string, { api, body }: LoopbackRequest): CanaryPlace {
  const has = (part: unknown) => part !== undefined && JSON.stringify(part).includes(word);
  const request = Object(body) as Readonly<Record<string, unknown>>;
  const { instructions, messages } = {
    anthropic: { instructions: request.system, messages: request.messages },
    "openai-responses": { instructions: request.instructions, messages: request.input },
    "openai-chat": { instructions: undefined, messages: request.messages },
    gemini: { instructions: request.systemInstruction ?? request.system_instruction, messages: request.contents },
  }[api];
  const parts: readonly Part[] = Array.isArray(messages) ? messages.map(Object) : [];
  const ofRole = (...roles: readonly unknown[]) => parts.filter(({ role }) => roles.includes(role));
  if (has(instructions) || has(ofRole("system", "developer"))) return "system";
  if ((typeof messages === "string" && has(messages)) || has(ofRole("user"))) return "user";
  return has(body) ? "elsewhere" : "nowhere";
}

/** Environment for trying an agent: an empty directory, an empty home, and a model on this machine. */
type ProbeDirectory = {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly loopback: LoopbackModel;
};

/** A key that opens nothing. */
const dummyKey = "sk-ant-api03-loopback-0000000000000000000000000000000000000000";

/** Makes such an environment, and removes it after the work. */
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

/** Writes the files that make agents use the variables below. */
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

/** Environment variables: PATH is this process's; the others lead the usual agents to the loopback model. */
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

/** Picks the most useful line of a program's standard error: the last that mentions an error, or the last. */
function errorLine(tail: string): string {
  const lines = tail.split("\n").map((line) => line.trim());
  const printed = lines.filter((line) => line !== "");
  const line = printed.findLast((one) => /error|cannot|not found|failed/i.test(one)) ?? printed.at(-1);
  return line === undefined ? "" : ` Its error output: ${line}`;
}
