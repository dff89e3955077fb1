import { Problem } from "charter";
import type { PromptAnswer } from "charter/answers";
import { type LoadRanks, loadTokenizerWith } from "charter/tokenizer";
import cl100k from "gpt-tokenizer/data/cl100k_base.tiktoken?url";
import o200k from "gpt-tokenizer/data/o200k_base.tiktoken?url";
import { ApiProblem, encodeName, getJson, withQuery } from "../api/request.ts";
import type { Wanted } from "./assembled.ts";
import { assembledOf, type Gathered, gatheredOf, promptOf, rangeOf } from "./assembling.ts";
import { type Answers, type Asked, buffersIn, columnsOf, type Packed, type Question, type Told } from "./columns.ts";

/** Gathers what the server has read, and assembles it: beside the page, which stays free to be looked at and typed in. */
type Gathering = { readonly generation: number; usedAt: number; readonly gathered: Promise<Gathered> };
const gatherings = new Map<string, Gathering>();
/** A clock stands in most prompts: what nobody has looked at for so long is gathered anew. */
const longestMs = 60_000;

addEventListener("message", async ({ data: { id, question } }: MessageEvent<Asked>) => {
  let told: Told;
  try {
    told = { id, answer: await answerTo(question) };
  } catch (error) {
    told = { id, ...faultOf(error) };
  }
  const packed = "answer" in told && question.kind === "assemble" ? (told.answer as Packed) : undefined;
  const buffers = packed ? [packed.sections, packed.cuts, packed.omitted].flatMap(buffersIn) : [];
  postMessage(told, { transfer: buffers });
});

async function answerTo(question: Question): Promise<Answers[Question["kind"]]> {
  const gathered = await gather(question.wanted, question.generation);
  if (question.kind === "range") return rangeOf(gathered, question.wanted, rest);
  const assembled = assembledOf(gathered, promptOf(gathered, question.wanted));
  const { sections, cuts, omitted } = assembled;
  return { ...assembled, sections: columnsOf(sections), cuts: columnsOf(cuts), omitted: columnsOf(omitted) };
}

/** A page has no packages: the ranks of the tokenizers are files of its own, fetched when they are needed. */
const loadRanks: LoadRanks = async (name) => {
  const answer = await fetch(name === "o200k_base" ? o200k : cl100k);
  if (!answer.ok) throw new Error(`The tokenizer “${name}” could not be fetched: ${answer.status}.`);
  return new Uint8Array(await answer.arrayBuffer());
};

/** Between two tries whatever was asked meanwhile is answered. */
const rest = () => new Promise<void>((resolve) => setTimeout(resolve));

function gather({ agent, user, channel, at }: Wanted, generation: number): Promise<Gathered> {
  const path = withQuery(`/agents/${encodeName(agent)}/prompt`, { parts: "inputs", user, channel, at });
  const known = gatherings.get(path);
  const now = performance.now();
  if (known && known.generation >= generation && now - known.usedAt < longestMs) {
    known.usedAt = now;
    return known.gathered;
  }
  const gathered = getJson<Pick<PromptAnswer, "inputs">>(path).then(({ inputs }) =>
    gatheredOf(inputs, (name) => loadTokenizerWith(name, loadRanks)),
  );
  gatherings.delete(path);
  gatherings.set(path, { generation, usedAt: now, gathered });
  forget(gatherings, 8);
  gathered.catch(() => {
    if (gatherings.get(path)?.gathered === gathered) gatherings.delete(path);
  });
  return gathered;
}

/** The oldest goes first. */
function forget(kept: Map<unknown, unknown>, max: number): void {
  for (const key of kept.keys()) if (kept.size > max) kept.delete(key);
}

function faultOf(error: unknown): Omit<Extract<Told, { status: number }>, "id"> {
  if (error instanceof ApiProblem) return { status: error.status, error: error.error };
  if (error instanceof Problem) {
    const { code, message, hint } = error;
    return { status: 422, error: { code, message, hint } };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { status: 500, error: { code: "not-assembled", message, hint: "Reload the page." } };
}
