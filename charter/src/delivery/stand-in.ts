import { opinionQuestion, proposedText, standingText } from "../amend/second-opinion.ts";
import type { Answer, AskOptions, Model, ModelRequest, ToolCall } from "./model.ts";
import { bodyDigest } from "./models/escape.ts";
import type { Receiver } from "./receiver.ts";
import { nextMove } from "./stand-in-script.ts";
import { newestPassage, type StandInView, viewOf } from "./stand-in-view.ts";

/** Opens every answer but a second opinion, which is one word, so that nobody takes the script for a model. */
const standInLabel = "(stand-in model)";

const rules = { kind: "prefix", min: 1024, granularity: 128, ttlSeconds: 300 } as const;

/**
 * The stand-in's receiver. It costs nothing, and caches as many providers do, so that the cost of a prompt can be seen without a
 * key.
 */
export const standInReceiver: Receiver = {
  name: "stand-in/scripted",
  slots: "layered",
  voice: "system",
  cache: rules,
  window: 200_000,
  price: { input: 0, read: 0, write: 0, output: 0 },
  attachments: [],
  tokenizer: { name: "o200k_base", exact: false },
};

/** Number of characters that count as a token here. */
const charsPerToken = 4;

/**
 * Makes a script that replaces a model: the default where there is no key. It sends nothing, the same request gets the same
 * answer, and it really calls the tools it is offered when it is told to: “always …”, “remember that …”, “what do you remember
 * about …”, “add to your goals: …”, “read <file>”, “run `<command>`”, “call <tool> with {…}”. Its cache is simulated.
 */
export function standIn({ now = () => new Date() }: { readonly now?: () => Date } = {}): Model {
  const cache = createPrefixCache({
    blockChars: rules.granularity * charsPerToken,
    ttlMs: rules.ttlSeconds * 1000,
  });
  return {
    receiver: standInReceiver,
    ask: async (request, asking) => {
      const read = requestText(request);
      const { text, calls } = await answerTo(request, read);
      if (!(await speak(text, asking)))
        return { fault: { code: "model-aborted", message: "The stand-in was stopped.", retry: false } };
      const cached = Math.floor(cache.read(read, now().getTime()) / charsPerToken);
      const written = [text, ...calls.map(({ name, input }) => name + input)].join("");
      const usage = {
        input: tokensOf(read),
        read: cached < rules.min ? 0 : cached,
        written: 0,
        output: tokensOf(written),
      };
      return { answer: { text, calls, finish: calls.length > 0 ? "tool-calls" : "stop", usage } };
    },
  };
}

async function answerTo(request: ModelRequest, read: string): Promise<Pick<Answer, "text" | "calls">> {
  const opinion = standInOpinion(request);
  if (opinion) return { text: opinion, calls: [] };
  const view = viewOf(request);
  const move = nextMove(view);
  if ("says" in move) return { text: worded(move.says, view), calls: [] };
  const id = (await bodyDigest(read)).slice(0, 16);
  const calls = move.calls.map((call, index): ToolCall => ({ id: `stand_in_${id}_${index}`, ...call }));
  return { text: "", calls };
}

/** Writes bullet points where its prompt asks for them: this shows that amended text is read. */
function worded(sentences: readonly string[], view: StandInView): string {
  if (wantsBullets(view))
    return [standInLabel, ...sentences.map((one) => `- ${one.replace(/\n(?=.)/g, "\n  ")}`)].join("\n");
  const isMultiline = sentences.some((one) => one.includes("\n"));
  return [standInLabel, ...sentences].join(isMultiline ? "\n" : " ");
}

function wantsBullets({ systemTexts }: StandInView): boolean {
  const instructions = newestPassage(systemTexts, /^User Instructions$/);
  const lines = (instructions ? [instructions.words] : systemTexts).flatMap((text) => text.split("\n"));
  const last = lines.findLast((line) => /\bbullet(?:ed)?[ -]?(?:points?|lists?)?s?\b/i.test(line));
  return last !== undefined && !/\b(?:never|no|not|don't|without|avoid|stop)\b[^.]*\bbullet/i.test(last);
}

/** Sends a few words at a time; returns false when it was stopped. */
async function speak(text: string, { signal, onText }: AskOptions): Promise<boolean> {
  for (const piece of text.match(/(?:\S+\s*){1,3}|\s+/g) ?? []) {
    if (signal.aborted) return false;
    onText?.(piece);
    // `setImmediate` is missing in some runtimes.
    await new Promise<void>((resolve) => (globalThis.setImmediate ?? setTimeout)(resolve));
  }
  return !signal.aborted;
}

/** Joins a request into one text, in the order in which it is read. */
function requestText({ tools, system, messages }: ModelRequest): string {
  const lines = messages.map(({ breakpoint: _, ...message }) => JSON.stringify(message));
  return [JSON.stringify(tools), system.map(({ text }) => text).join(""), ...lines].join("\n");
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / charsPerToken);
}

/** Words that are seldom innocent in a prompt. A model would weigh them; a script can only report that they are new. */
const suspect =
  /\b(?:ignor|disregard|overrid|overrul|supersed|supplant|forget|outdated|obsolete|precedence|outrank|jailbreak|set(?:ting)? aside)\w*|\bpriorit\w+ over\b|\bno longer (?:apply|applies|bind|binds|hold|holds|valid)\b/gi;

/** Gives the stand-in's second opinion, one bare word, where it is asked for one. */
function standInOpinion({ system, messages }: ModelRequest): "yes" | "no" | undefined {
  if (system.length !== 1 || system[0]?.text !== opinionQuestion) return undefined;
  const [asked] = messages;
  const data = asked?.role === "user" ? asked.text : "";
  const before = wordsIn(quotedUnder(data, standingText));
  const newWords = wordsIn(quotedUnder(data, proposedText)).filter((word) => !before.includes(word));
  return newWords.length > 0 ? "yes" : "no";
}

function wordsIn(text: string): string[] {
  return [...text.matchAll(suspect)].map(([word]) => word.toLowerCase());
}

/** Returns the lines of the fence with this name; a line in it that looks like another opening is part of it. */
function quotedUnder(data: string, name: string): string {
  const lines = data.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`${name} wrote `));
  if (start === -1) return "";
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => !line.startsWith(">"));
  return rest.slice(0, end === -1 ? rest.length : end).join("\n");
}

/** Maximum number of remembered blocks: the least recently used are dropped. */
const maxBlocks = 20_000;

/**
 * A simulated prefix cache of a provider: blocks of one size, each known together with all before it. Reading keeps a block; one
 * that nobody reads for `ttlMs` is dropped.
 */
type PrefixCache = {
  /** Returns the number of leading characters that were cached, and caches the whole text. */
  readonly read: (text: string, at: number) => number;
};

function createPrefixCache({ blockChars, ttlMs }: { blockChars: number; ttlMs: number }): PrefixCache {
  const used = new Map<string, { readonly id: number; readonly at: number }>();
  let ids = 0;
  return {
    read: (text, at) => {
      let before = 0;
      let cachedChars = 0;
      let unbroken = true;
      for (let end = blockChars; end <= text.length; end += blockChars) {
        const key = `${before} ${text.slice(end - blockChars, end)}`;
        const last = used.get(key);
        unbroken &&= last !== undefined && at - last.at <= ttlMs;
        if (unbroken) cachedChars = end;
        before = last?.id ?? ++ids;
        used.delete(key);
        used.set(key, { id: before, at });
      }
      for (const key of used.keys()) {
        if (used.size <= maxBlocks) break;
        used.delete(key);
      }
      return cachedChars;
    },
  };
}
