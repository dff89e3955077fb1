import type { Scope } from "../amend/amendment.ts";
import {
  type Opinion,
  type OpinionRequest,
  opinionData,
  opinionQuestion,
  readOpinion,
} from "../amend/second-opinion.ts";
import { costOf, inMicros } from "../delivery/cost.ts";
import type { Answer, Fault, Model, ModelRequest, ModelResult, SentBody } from "../delivery/model.ts";
import { givenModel, type ModelLoader, modelLoader } from "../delivery/models/language.ts";
import type { LanguageModel } from "../delivery/models/model-entry.ts";
import { loadReceiverTokenizer, type Receiver } from "../delivery/receiver.ts";
import { badArgument, isFunction, isObject } from "../prompt/argument.ts";
import { backoffMs } from "../prompt/bounds.ts";
import { reasonOf } from "../prompt/problem.ts";
import type { CacheTokens } from "../prompt/receipt.ts";
import type { AdviserResult, SecondOpinion } from "../store/amendments/judge.ts";
import type { Store } from "../store/store.ts";
import type { Expense } from "../store/turns/spending.ts";
import { type Limits, limitsOf, maxTimeoutMs, sleep as usualSleep, withTimeout } from "./limits.ts";
import { checkSpending, dayOf, soundUsage } from "./turn/bill.ts";
import { startDeadline } from "./turn/model-problem.ts";
import type { OpinionBill } from "./turn/turn-state.ts";

/** Checks a request before a model is asked: it may throw, or return the maximum number of tokens of the answer. */
export type BeforeAsk = (request: {
  readonly receiver: Receiver;
  readonly predicted: CacheTokens;
}) => Promise<number | undefined>;

/** Dependencies and limits of a question outside of any turn. */
type QuestionDeps = {
  readonly store: Pick<Store, "spending">;
  readonly limits: Limits;
  readonly clock: () => Date;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal | undefined;
  /** Maximum number of seconds for all attempts together. */
  readonly seconds: number;
  readonly retries: number;
  readonly beforeAsk?: BeforeAsk | undefined;
};

/** An answer, its request and its cost, which is still to be recorded; or why there is none. `late`: it took too long. */
type QuestionResult =
  | {
      readonly answer: Answer;
      readonly request: ModelRequest;
      readonly bill: OpinionBill;
      readonly spent: Expense;
      readonly sent?: SentBody;
    }
  | { readonly answer?: undefined; readonly fault: Fault; readonly late: boolean };

/** Asks one question outside of any turn, again where a fault says that this may help, all within the time limit. */
export async function askQuestion(
  { store, limits, clock, sleep, signal: stopSignal, seconds, retries, beforeAsk }: QuestionDeps,
  model: Model,
  question: ModelRequest,
  scope: Scope,
): Promise<QuestionResult> {
  const tokenizer = await loadReceiverTokenizer(model.receiver.tokenizer);
  const predicted = tokenizer.count(wordsOf(question).join("\n"));
  const tokens = { read: 0, written: 0, fresh: predicted };
  const answerTokens = await beforeAsk?.({ receiver: model.receiver, predicted: tokens });
  await checkSpending({ limits, store, model, clock, owed: undefined }, scope, tokens);
  const request: ModelRequest = answerTokens === undefined ? question : { ...question, answerTokens };

  const deadline = startDeadline(seconds, stopSignal);
  const { signal } = deadline;
  try {
    for (let attempt = 1; ; attempt++) {
      const { answer, fault, sent } = await askOnce(model, request, signal);
      if (answer) {
        const bill = billOf(model, answer, { predicted, output: tokenizer.count(answer.text) });
        return { answer, request, bill, spent: spentOn(bill, clock()), ...(sent ? { sent } : {}) };
      }
      if (signal.aborted) return { ...stopped, late: deadline.late };
      if (!fault.retry || attempt > retries) return { fault, late: false };
      await sleep(
        fault.afterMs ?? backoffMs(attempt - 1, () => 1, { min: 500, max: Number.POSITIVE_INFINITY }),
        signal,
      );
    }
  } finally {
    deadline.stop();
  }
}

function wordsOf({ system, messages }: ModelRequest): readonly string[] {
  return [...system, ...messages].flatMap((one) => ("text" in one ? [one.text] : []));
}

const stopped = { fault: { code: "model-aborted", message: "It was stopped.", retry: false } } as const;

/** Asks a model once. One that ignores the signal, or throws, gave no answer. */
async function askOnce(model: Model, request: ModelRequest, signal: AbortSignal): Promise<ModelResult> {
  if (signal.aborted) return stopped;
  try {
    return await withTimeout(maxTimeoutMs, model.ask(request, { signal }), () => stopped, signal);
  } catch (error) {
    return { fault: { code: "model-failed", message: reasonOf(error), retry: false } };
  }
}

/** Makes the bill. Tokens a provider does not count are charged as predicted. */
function billOf(model: Model, answer: Answer, counted: { predicted: number; output: number }): OpinionBill {
  const usage = soundUsage(answer.usage);
  const charged = { ...usage, input: usage.input ?? counted.predicted, output: usage.output ?? counted.output };
  return { model: model.receiver.name, usage: charged, cost: costOf(charged, model.receiver) };
}

function spentOn({ model, usage, cost }: OpinionBill, now: Date): Expense {
  return { day: dayOf(now), receiver: model, micros: inMicros(cost ?? 0), usage };
}

/** Options of `createSecondOpinion`: how models are loaded, and where their cost is recorded. */
export type SecondOpinionOptions = {
  readonly store: Pick<Store, "spending">;
  readonly loadModel: ModelLoader;
  /** The model to ask, whatever the agent's settings say. */
  readonly model?: Model | LanguageModel | string | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly clock?: () => Date;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal;
  /**
   * Called before a model is asked; throw to have a person asked instead. May return the maximum number of tokens of the answer.
   */
  readonly beforeAsk?: BeforeAsk;
  /** Called with the cost of each answer, which is recorded in the store as well. */
  readonly onBill?: (bill: OpinionBill) => void;
};

/**
 * Makes the function that lets a model judge changes that all guards accepted. Pass it to `store.propose` in its context;
 * `createAgent` does so by itself.
 */
export function createSecondOpinion(options: SecondOpinionOptions): SecondOpinion {
  if (!isObject(options?.store) || !isFunction(options.loadModel))
    throw badArgument(
      "createSecondOpinion needs a store, and a way to load a model.",
      "Give createSecondOpinion({ store, loadModel: (name) => loadModel(name, { env: process.env }) }).",
    );
  const { model: given } = options;
  const own =
    given === undefined || typeof given === "string" ? given : givenModel(given, "The model of a second opinion");
  const loadModel = modelLoader(options.loadModel);
  return (setting) => {
    const wanted = own ?? setting;
    if (wanted === undefined) return undefined;
    const model = typeof wanted === "string" ? wanted : wanted.receiver.name;
    const load = async () => (typeof wanted === "string" ? loadModel(wanted) : wanted);
    const ask = async (about: OpinionRequest, scope: Scope) => askForOpinion(options, await load(), about, scope);
    return { model, ask };
  };
}

/** Asks for one opinion; where there is no answer, a person is asked. */
async function askForOpinion(
  options: SecondOpinionOptions,
  model: Model,
  about: OpinionRequest,
  scope: Scope,
): Promise<AdviserResult> {
  // An agent over ACP would run its own tools, in a place that all who are asked about would share.
  if (model.receiver.keepsHistory)
    return { opinion: { says: "none", reason: "An agent over ACP gives no second opinions." } };
  const limits = limitsOf(options.limits);
  const { store, clock = () => new Date(), sleep = usualSleep, signal, beforeAsk } = options;
  const request: ModelRequest = {
    tools: [],
    system: [{ text: opinionQuestion }],
    messages: [{ role: "user", text: opinionData(about) }],
  };
  const { opinionSeconds: seconds, retries } = limits;
  const deps = { store, limits, clock, sleep, signal, seconds, retries, beforeAsk };
  const asked = await askQuestion(deps, model, request, scope);
  if (asked.answer) {
    options.onBill?.({ ...asked.bill, request: asked.request, ...(asked.sent ? { sent: asked.sent } : {}) });
    return { opinion: opinionIn(asked.answer), spent: asked.spent };
  }
  const reason = asked.late ? `It did not answer in ${seconds} s.` : faultWords[asked.fault.code];
  return { opinion: { says: "none", reason } };
}

/** Words for each fault. A provider's own may tell of the operator's account, and users read why something is held. */
const faultWords: Readonly<Record<Fault["code"], string>> = {
  "model-busy": "It was busy.",
  "model-failed": "It failed.",
  "model-cut": "Its answer broke off.",
  "model-unreachable": "It could not be reached.",
  "model-rejected": "It rejected the question.",
  "model-aborted": "It was stopped.",
};

function opinionIn({ text, finish, calls }: Answer): Opinion {
  return readOpinion(text, finish === "stop" && calls.length === 0);
}
