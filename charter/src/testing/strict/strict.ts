import { checkNames, kindOf } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import {
  type AnthropicBody,
  checkAnthropic,
  newThought,
  systemTextsOf,
  type ThoughtBinding,
  textAfterResults,
  thinkingIn,
  type UnfitThought,
} from "./anthropic.ts";
import { checkGemini, type GeminiBody, systemTextsOfGemini } from "./gemini.ts";
import {
  type ChatBody,
  checkChat,
  checkCompatible,
  checkResponses,
  itemName,
  type ResponsesBody,
  systemTextsOfChat,
  systemTextsOfResponses,
} from "./openai.ts";
import type { RecordedRequest, Reply } from "./recorder.ts";
import {
  canonical,
  type Json,
  listOf,
  partsOf,
  type SpokenText,
  type Strangers,
  type StrictCheck,
  type StrictFault,
  strangersIn,
} from "./request.ts";
import { complaint, type Kind, type Speech } from "./speech.ts";
import { answerTo, kindAt } from "./whole-answer.ts";

/** What is wrong with a request: which check found it, and where. */
export type StrictFinding = {
  /** Index of the request among those that asked for an answer. */
  readonly request: number;
  readonly check: StrictCheck;
  /** Place in the request, as in `messages.3.content.0`. */
  readonly at: string;
  readonly message: string;
};

/** An answer of a strict server; what is left out is filled in. */
export type StrictAnswer = {
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  /** The reasoning before it, which is signed; false for none. Models that think show an empty one, unless it is given. */
  readonly thought?: string | false;
  /** Why it ended, where it did neither finish nor call tools. "open": nothing more comes, and the connection stays open. */
  readonly end?: "cut" | "refused" | "paused" | "open";
};

/** A line of a strict server's script: a text, an answer, a status with which it fails, or a function that makes one of these. */
export type StrictLine =
  | string
  | StrictAnswer
  | { readonly status: number; readonly message?: string }
  | ((request: StrictRequest) => StrictLine | Promise<StrictLine>);

/** A request that asked a strict server for an answer, and what it was answered. */
export type StrictRequest = {
  readonly index: number;
  /** The protocol that it speaks. */
  readonly kind: "anthropic" | "openai" | "openai-chat" | "openai-compatible" | "google";
  readonly model: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** The blocks of the answer, where Anthropic gave one. */
  readonly answer: readonly object[] | null;
  /** The status of the answer. */
  readonly status: number;
  /** Places of the thinking that was dropped, whether that was said or not. */
  readonly dropped: readonly string[];
};

/** Options of a strict server. */
export type StrictOptions = {
  /** Its answers, in order. */
  readonly script?: readonly StrictLine[];
  /** Repeats the last line for ever. Without it, a request too many is a finding. */
  readonly repeatLast?: boolean;
  /** Words of strangers: what must never speak for the system. Or a function that says whether a text has such words. */
  readonly strangers?: readonly string[] | ((text: string) => boolean);
  /**
   * What becomes of thinking whose prefix changed, where the request does not say: 400, it is dropped without a word, or, as for an
   * old account, the model reads it all the same.
   */
  readonly mismatch?: "error" | "drop" | "show";
  /** What Claude makes of text right after tool results: an empty answer, or the next line of the script all the same. */
  readonly textAfterResults?: "empty" | "answer";
};

/** A server on the loopback that stands for providers, and takes only what they document. */
export type StrictServer = {
  /** Where it listens, without a path. */
  readonly url: string;
  /** The variables with which `loadModel` finds every provider's models here. */
  readonly env: Readonly<Record<string, string>>;
  /** Every request for an answer so far. */
  readonly requests: readonly StrictRequest[];
  /** Everything that was wrong with them. */
  readonly findings: readonly StrictFinding[];
  /** Replaces the rest of the script by these lines. */
  readonly say: (...lines: readonly StrictLine[]) => void;
  readonly close: () => Promise<void>;
};

type Memory = {
  readonly thoughts: Map<string, ThoughtBinding>;
  readonly paused: Set<string>;
  readonly reasoning: Map<string, string>;
  readonly signatures: Set<string>;
};

const optionNames = ["script", "repeatLast", "strangers", "mismatch", "textAfterResults"] as const;

/**
 * Starts a server on the loopback that answers with a script, as Anthropic, OpenAI, Gemini and a plain compatible server do, and
 * takes only requests that keep to what they document. `findings` has what is wrong with the others.
 */
export async function strict(options: StrictOptions = {}): Promise<StrictServer> {
  checkNames<StrictOptions>("strict", options, [...optionNames]);
  const {
    script = [],
    repeatLast = false,
    strangers = [],
    mismatch = "error",
    textAfterResults: after = "empty",
  } = options;
  if (!Array.isArray(script))
    throw new Problem(
      "bad-script",
      `The script of a strict server is a list of lines, and it was given ${kindOf(script)}.`,
      'Give strict({ script: ["Hello."] }).',
    );
  const memory: Memory = { thoughts: new Map(), paused: new Set(), reasoning: new Map(), signatures: new Set() };
  const requests: StrictRequest[] = [];
  const findings: StrictFinding[] = [];
  let lines: readonly StrictLine[] = script;
  let played = 0;

  const answer = async (recorded: RecordedRequest): Promise<Reply> => {
    const kind = kindAsked(recorded);
    if (!kind) return { status: 404, body: '{"error":{"message":"Not found."}}' };
    const body = JSON.parse(recorded.body) as Json;
    const betas = String(recorded.headers["anthropic-beta"] ?? "").split(/\s*,\s*/);
    const asking = { body, betas, mismatch, strangers };
    const { fault, unfit, found } = judge(kind, asking, memory);
    const index = requests.length;
    findings.push(...found.map(({ check, at, message }) => ({ request: index, check, at, message })));
    const model = String(body.model ?? /models\/([^:]+):/.exec(recorded.path)?.[1] ?? "");
    const { headers } = recorded;
    const dropped = unfit.filter(({ type }) => type === "thinking_dropped").map(({ path }) => path);
    const request: StrictRequest = { index, kind, model, headers, body, answer: null, status: 200, dropped };
    requests.push(fault ? { ...request, status: fault.status } : request);
    if (fault) return { status: fault.status, body: JSON.stringify(fault.body) };
    const isEmptied = after === "empty" && found.some(({ check }) => check === "text-after-results");
    const line = isEmptied ? { text: "", thought: false as const } : await nextLine(request);
    if ("status" in line) {
      const { status, message = "It is overloaded." } = line;
      requests[index] = { ...request, status };
      return { status, body: complaint(kind, message, "overloaded_error") };
    }
    const { said, blocks } = saidBy(line, request, memory, { betas, mismatch });
    requests[index] = { ...request, answer: line.end === "open" ? null : blocks };
    const reply = answerTo(recorded, { ...said, ...transformed(betas, unfit) }, kind);
    const { body: events = "" } = reply;
    return line.end === "open" ? { body: typeof events === "string" ? "" : events.slice(0, -2), ends: "open" } : reply;
  };

  const nextLine = async (request: StrictRequest): Promise<StrictAnswer | { status: number; message?: string }> => {
    let line = lines[repeatLast ? Math.min(played, lines.length - 1) : played];
    played++;
    let message = `The script has ${lines.length} lines, and this is request ${played}.`;
    try {
      while (typeof line === "function") line = await line(request);
      if (line !== undefined) return typeof line === "string" ? { text: line } : line;
    } catch (error) {
      message = `Line ${played} of the script failed: ${String(error)}`;
    }
    findings.push({ request: request.index, check: "script", at: "", message });
    return { status: 400, message };
  };

  // Loaded here, so that the rest of this door works without a network, as in a browser.
  const { startRecorder } = await import("./recorder.ts");
  const { url, close } = await startRecorder({ answer });
  return {
    url,
    env: environmentAt(url),
    requests,
    findings,
    say: (...more) => {
      lines = more;
      played = 0;
    },
    close,
  };
}

const compatiblePath = "/compatible";

function environmentAt(url: string): Record<string, string> {
  const key = "sk-strict-0123456789";
  const compatible = `${url}${compatiblePath}/v1`;
  return {
    ...{ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url, OPENAI_API_KEY: key, OPENAI_BASE_URL: url },
    ...{ GEMINI_API_KEY: key, GOOGLE_BASE_URL: url, OPENAI_COMPATIBLE_BASE_URL: compatible },
  };
}

/** Finds the protocol of a request for an answer; other requests ask for something else. */
function kindAsked({ method, path }: RecordedRequest): Kind | undefined {
  if (method !== "POST") return undefined;
  const [at = ""] = path.split("?");
  if (!/(?:\/messages|\/responses|\/chat\/completions|:(?:streamG|g)enerateContent)$/.test(at)) return undefined;
  return at.startsWith(compatiblePath) ? "openai-compatible" : kindAt(at);
}

/** A request to be judged. */
type Asking = {
  readonly body: Json;
  readonly betas: readonly string[];
  readonly mismatch: "error" | "drop" | "show";
  readonly strangers: Strangers;
};

type Found = Pick<StrictFinding, "check" | "at" | "message">;

/** What a request comes to: the fault it is refused with, the thinking that does not fit, and all that is wrong with it. */
type Judgement = {
  readonly fault?: StrictFault | undefined;
  readonly unfit: readonly UnfitThought[];
  readonly found: readonly Found[];
};

/** Judges a request by all checks of its protocol. */
function judge(kind: Kind, { body, betas, mismatch, strangers }: Asking, memory: Memory): Judgement {
  const { fault, spoken } = checksOf[kind](body, memory, { betas, mismatch });
  const asked = kind === "anthropic" ? (body as AnthropicBody) : undefined;
  const unfit = asked && !fault ? thinkingIn(asked, memory, { betas, mismatch }).unfit : [];
  const text = asked && textAfterResults(asked);
  return {
    fault,
    unfit,
    found: [
      ...(fault ? [fault] : []),
      ...unfit
        .filter(({ reason }) => reason === "prefix_binding_mismatch")
        .map(({ type, path }) => found("prefix", path, `A thinking block does not fit: ${type}.`)),
      ...(text
        ? [found("text-after-results", text.at, `Text follows tool results: “${text.text.slice(0, 80)}”.`)]
        : []),
      ...strangersIn(spoken, strangers).map((one) =>
        found("stranger", one.at, `A stranger speaks for the system: “${one.text.slice(0, 200)}”.`),
      ),
    ],
  };
}

function found(check: StrictCheck, at: string, message: string): Found {
  return { check, at, message };
}

type Checked = { readonly fault: StrictFault | undefined; readonly spoken: readonly SpokenText[] };
type Way = Pick<Asking, "betas" | "mismatch">;

const checksOf: Readonly<Record<Kind, (body: Json, memory: Memory, way: Way) => Checked>> = {
  anthropic: (body, memory, way) => {
    const asked = body as AnthropicBody;
    return { fault: checkAnthropic(asked, memory, way), spoken: systemTextsOf(asked) };
  },
  openai: (body, memory) => {
    const asked = body as ResponsesBody;
    return { fault: checkResponses(asked, memory), spoken: systemTextsOfResponses(asked) };
  },
  "openai-chat": (body) => ({ fault: checkChat(body as ChatBody), spoken: systemTextsOfChat(body as ChatBody) }),
  "openai-compatible": (body) => ({
    fault: checkCompatible(body as ChatBody),
    spoken: systemTextsOfChat(body as ChatBody),
  }),
  google: (body, memory) => {
    const asked = body as GeminiBody;
    return { fault: checkGemini(asked, memory), spoken: systemTextsOfGemini(asked) };
  },
};

function transformed(betas: readonly string[], unfit: readonly UnfitThought[]): Pick<Speech, "transformations"> {
  return betas.includes("thinking-binding-controls-2026-08-01") ? { transformations: unfit } : {};
}

/** Makes the answer of a line, signs its reasoning, and remembers both. */
function saidBy(line: StrictAnswer, request: StrictRequest, memory: Memory, way: Way) {
  const { text = "", calls = [], end } = line;
  const said: Speech = {
    ...(text === "" ? {} : { text: [text] }),
    calls,
    ...(end && end !== "open" ? { end } : {}),
    ...thoughtOf(line, request, memory),
  };
  const blocks: Json[] = [];
  const { thought, signature = "" } = said;
  const isAnthropic = request.kind === "anthropic";
  if (thought !== undefined && isAnthropic) {
    memory.thoughts.set(signature, newThought(request.body as AnthropicBody, memory, [], way));
    blocks.push({ type: "thinking", thinking: thought, signature });
  }
  if (text !== "") blocks.push({ type: "text", text });
  for (const { id, name, input } of calls) blocks.push({ type: "tool_use", id, name, input: JSON.parse(input) });
  if (end === "paused") memory.paused.add(canonical(blocks));
  if (signature !== "") {
    memory.signatures.add(signature);
    const [call] = calls;
    memory.reasoning.set(
      signature,
      itemName(text !== "" ? { type: "message", content: text } : { type: "function_call", call_id: call?.id }),
    );
  }
  return { said, blocks: isAnthropic ? blocks : null };
}

function thoughtOf({ thought }: StrictAnswer, { kind, index }: StrictRequest, memory: Memory) {
  const isShown = kind === "google" || kind === "openai";
  const usual = kind === "anthropic" ? "" : isShown ? `Thought ${index}.` : undefined;
  const words = thought === false ? undefined : (thought ?? usual);
  if (words === undefined) return {};
  const signature = `c3RyaWN0${memory.signatures.size + 1}`;
  memory.signatures.add(signature);
  return { thought: words, signature };
}

/** A request that goes on from no earlier one, and where it differs from the one that is most like it. */
export type StrictStart = { readonly request: number; readonly at: string };

/**
 * Lists the requests to Anthropic that start anew: the first, and every one that does not begin with all of an earlier request and
 * its answer, each thinking block byte for byte.
 */
export function startsOf(requests: readonly StrictRequest[]): readonly StrictStart[] {
  const answered: (readonly SpokenText[])[] = [];
  const starts: StrictStart[] = [];
  for (const { index, kind, body, answer } of requests) {
    if (kind !== "anthropic") continue;
    const entries = entriesOf(body);
    const shared = answered.map((one) => sharedLength(one, entries));
    const most = Math.max(0, ...shared);
    const goesOn = answered.some((one, place) => shared[place] === most && one.length === most);
    if (!goesOn) starts.push({ request: index, at: entries[most]?.at ?? "end" });
    if (answer) answered.push([...entries, ...blockEntries([{ role: "assistant", content: answer }])]);
  }
  return starts;
}

function entriesOf({ system, tools, messages }: Json): SpokenText[] {
  const opening = [
    { at: "tools", text: canonical(tools ?? []) },
    { at: "system", text: canonical(partsOf(system)) },
  ];
  return [...opening, ...blockEntries(listOf(messages))];
}

function blockEntries(messages: readonly Json[]): SpokenText[] {
  return messages.flatMap(({ role, content, clear_at }, index) =>
    partsOf(content).map((block, place) => ({
      at: `messages.${index}.content.${place}`,
      text: canonical([role, block, clear_at]),
    })),
  );
}

function sharedLength(one: readonly SpokenText[], other: readonly SpokenText[]): number {
  const at = one.findIndex(({ text }, index) => text !== other[index]?.text);
  return at === -1 ? one.length : at;
}
