import { type Limits, limitsOf, sleep } from "../../agent/limits.ts";
import { askQuestion, type BeforeAsk } from "../../agent/question.ts";
import type { Answer, Model } from "../../delivery/model.ts";
import { oneWord } from "../../delivery/models/probe.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { LoadedList } from "./load-list.ts";

/** Whether a model answered one word; if not, why. */
export type ProbeResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: string; readonly message: string };

type Probe = {
  readonly agent: string;
  readonly models: LoadedList;
  readonly load: (name: string) => Promise<Model>;
  readonly store: Pick<Store, "spending">;
  readonly limits: Partial<Limits>;
  readonly clock: () => Date;
  readonly signal: AbortSignal;
  readonly beforeAsk: BeforeAsk;
};

/** So long a model has for one word. */
const seconds = 20;

/**
 * Asks an agent's models one word, once each and in their order, until one answers. What that costs is on record. Nothing,
 * where none of them can be asked so: an agent over ACP is started for a turn.
 */
export async function probeAgent(probe: Probe): Promise<ProbeResult | undefined> {
  const { models, load } = probe;
  const [first, ...others] = models;
  let result: ProbeResult | undefined;
  for (const one of [first, ...others]) {
    const model = typeof one === "string" ? await load(one).catch(unlessProblem) : one;
    if (!model || model.receiver.keepsHistory) continue;
    const asked = await askOneWord(probe, model);
    if (asked.ok) return asked;
    // What the first said is what has to be mended.
    result ??= asked;
  }
  return result;
}

function unlessProblem(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

async function askOneWord(probe: Probe, model: Model): Promise<ProbeResult> {
  const { agent, store, clock, signal, beforeAsk } = probe;
  const scope = { agent };
  const deps = { store, clock, sleep, signal, seconds, retries: 0, limits: limitsOf(probe.limits), beforeAsk };
  const { name } = model.receiver;
  const asked = await askQuestion(deps, model, oneWord(model.receiver), scope);
  if (asked.answer) {
    await store.spending.add(scope, asked.spent);
    if (saysSomething(asked.answer)) return { ok: true };
    return { ok: false, code: "model-failed", message: `“${name}” gave an empty answer.` };
  }
  if (asked.late) return { ok: false, code: "model-unreachable", message: `“${name}” gave no answer in ${seconds} s.` };
  const { code, message } = asked.fault;
  return { ok: false, code, message: message.includes(name) ? message : `“${name}” gave no answer: ${message}` };
}

/** A model may think for as long as it may answer: it is there, though it has said nothing yet. */
function saysSomething({ text, calls, finish }: Answer): boolean {
  return text.trim() !== "" || calls.length > 0 || finish === "length";
}
