import type { Scope } from "../amend/amendment.ts";
import {
  type Opinion,
  type OpinionRequest,
  opinionData,
  opinionQuestion,
  readOpinion,
} from "../amend/second-opinion.ts";
import type { Answer, Fault, Model, ModelRequest } from "../delivery/model.ts";
import { givenModel, type ModelLoader, modelLoader } from "../delivery/models/given-model.ts";
import type { LanguageModel } from "../delivery/models/language-model.ts";
import { badArgument, isFunction, isObject } from "../prompt/argument.ts";
import type { AdviserResult, SecondOpinion } from "../store/amendments/judge.ts";
import type { Store } from "../store/store.ts";
import { type Limits, limitsOf } from "./limits.ts";
import { askQuestion, type BeforeAsk } from "./question.ts";
import { sleep as usualSleep } from "./timeout.ts";
import type { OpinionBill } from "./turn/turn-state.ts";

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
  readonly beforeAsk?: BeforeAsk;
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

/** One question; a person is asked where it has no answer. */
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

/** A provider's own words may tell of the operator's account, and users read why something is held. */
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
