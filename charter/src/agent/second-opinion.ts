import type { Scope } from "../amend/amendment.ts";
import {
  type Opinion,
  type OpinionRequest,
  opinionData,
  opinionQuestion,
  readOpinion,
} from "../amend/second-opinion.ts";
import type { Answer, Fault, Model, ModelResult, Request } from "../delivery/model.ts";
import { givenModel, type ModelLoader, modelLoader } from "../delivery/models/given-model.ts";
import type { LanguageModel } from "../delivery/models/language-model.ts";
import type { Receiver } from "../delivery/receiver.ts";
import { loadReceiverTokenizer } from "../delivery/receiver-tokenizer.ts";
import { badArgument, isFunction, isObject } from "../prompt/argument.ts";
import { backoffMs } from "../prompt/backoff.ts";
import { reasonOf } from "../prompt/problem.ts";
import type { CacheTokens } from "../prompt/receipt.ts";
import type { AdviserResult, SecondOpinion } from "../store/amendments/adviser.ts";
import type { Store } from "../store/store.ts";
import type { Expense } from "../store/turns/spending.ts";
import { type Limits, limitsOf } from "./limits.ts";
import { costOf } from "./outcome.ts";
import { sleep as usualSleep } from "./sleep.ts";
import { maxTimeoutMs, withTimeout } from "./timeout.ts";
import { startDeadline } from "./turn/deadline.ts";
import { soundUsage } from "./turn/record.ts";
import { checkSpending, dayOf } from "./turn/spending.ts";
import type { OpinionBill } from "./turn/step-result.ts";

/** What `createSecondOpinion` is given: how models are loaded, and where their cost is recorded. */
export type SecondOpinionOptions = {
  readonly store: Pick<Store, "spending">;
  readonly loadModel: ModelLoader;
  /** Asked whatever the agent's settings say. */
  readonly model?: Model | LanguageModel | string | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly clock?: () => Date;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal;
  /** Called before a model is asked; throw to have a person asked instead. Gives the most tokens of the answer, if any. */
  readonly beforeAsk?: (request: {
    readonly receiver: Receiver;
    readonly predicted: CacheTokens;
  }) => Promise<number | undefined>;
  /** Called with what each answer cost, besides the store. */
  readonly onBill?: (bill: OpinionBill) => void;
};

/**
 * Has a model judge changes that all guards accepted. Pass the result to `store.propose` in its context; `createAgent`
 * does so by itself.
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

/** One question, asked again where a fault says that this may help, all within the time limit. */
async function askForOpinion(
  options: SecondOpinionOptions,
  model: Model,
  about: OpinionRequest,
  scope: Scope,
): Promise<AdviserResult> {
  // Its own tools would run, in a place that all who are asked about would share.
  if (model.receiver.keepsHistory)
    return { opinion: { says: "none", reason: "An agent over ACP gives no second opinions." } };
  const limits = limitsOf(options.limits);
  const { store, clock = () => new Date(), sleep = usualSleep } = options;
  const tokenizer = await loadReceiverTokenizer(model.receiver.tokenizer);
  const predicted = tokenizer.count(`${opinionQuestion}\n${opinionData(about)}`);
  const tokens = { read: 0, written: 0, fresh: predicted };
  const answerTokens = await options.beforeAsk?.({ receiver: model.receiver, predicted: tokens });
  const deps = { limits, store, model, name: scope.agent, clock };
  await checkSpending(deps, { scope, owed: undefined }, tokens);
  const request: Request = {
    tools: [],
    system: [{ text: opinionQuestion }],
    messages: [{ role: "user", text: opinionData(about) }],
    ...(answerTokens === undefined ? {} : { answerTokens }),
  };

  const deadline = startDeadline(limits.opinionSeconds, options.signal);
  const { signal } = deadline;
  try {
    for (let attempt = 1; ; attempt++) {
      const { answer, fault, sent } = await askOnce(model, request, signal);
      if (answer) {
        const bill = billOf(model, answer, { predicted, output: tokenizer.count(answer.text) });
        options.onBill?.({ ...bill, request, ...(sent ? { sent } : {}) });
        return { opinion: opinionIn(answer), spent: spentOn(bill, clock()) };
      }
      const stopped = deadline.late ? `It did not answer in ${limits.opinionSeconds} s.` : "It was stopped.";
      const reason = signal.aborted ? stopped : faultWords[fault.code];
      if (signal.aborted || !fault.retry || attempt > limits.retries) return { opinion: { says: "none", reason } };
      await sleep(
        fault.afterMs ?? backoffMs(attempt - 1, () => 1, { min: 500, max: Number.POSITIVE_INFINITY }),
        signal,
      );
    }
  } finally {
    deadline.stop();
  }
}

/** A provider's own words may tell of the operator's account, and users read why something is held. */
const faultWords: Readonly<Record<Fault["code"], string>> = {
  "model-busy": "It was busy.",
  "model-failed": "It failed.",
  "model-cut": "Its answer broke off.",
  "model-unreachable": "It could not be reached.",
  "model-rejected": "It rejected the question.",
  "model-aborted": "It was stopped.",
};

/** A model that does not heed the signal, or throws, gave no answer. */
async function askOnce(model: Model, request: Request, signal: AbortSignal): Promise<ModelResult> {
  const stopped = (): ModelResult => ({ fault: { code: "model-aborted", message: "It was stopped.", retry: false } });
  if (signal.aborted) return stopped();
  try {
    return await withTimeout(maxTimeoutMs, model.ask(request, { signal }), stopped, signal);
  } catch (error) {
    return { fault: { code: "model-failed", message: reasonOf(error), retry: false } };
  }
}

function opinionIn({ text, finish, calls }: Answer): Opinion {
  return readOpinion(text, finish === "stop" && calls.length === 0);
}

/** What a provider does not count is charged as it was predicted. */
function billOf(model: Model, answer: Answer, counted: { predicted: number; output: number }): OpinionBill {
  const usage = soundUsage(answer.usage);
  const charged = { ...usage, input: usage.input ?? counted.predicted, output: usage.output ?? counted.output };
  return { model: model.receiver.name, usage: charged, cost: costOf(charged, model.receiver) };
}

function spentOn({ model, usage, cost }: OpinionBill, now: Date): Expense {
  return { day: dayOf(now), receiver: model, micros: Math.round((cost ?? 0) * 1e6), usage };
}
