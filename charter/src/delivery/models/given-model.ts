import { Problem } from "../../prompt/problem.ts";
import type { Model } from "../model.ts";
import { providerNames, splitModelName } from "../providers.ts";
import { modelOf } from "./language.ts";
import { isLanguageModel, type LanguageModel, specificationVersions } from "./language-model.ts";

/** What was given as a model, as one that can be asked: ours as it is, one of the AI SDK as ours. */
export function givenModel(given: Model | LanguageModel, whose: string): Model {
  if (isModel(given)) return given;
  if (isLanguageModel(given) && specificationVersions.includes(given.specificationVersion)) return modelOf(given);
  throw notModel(given, whose);
}

/** A function that loads a model by its name. */
export type ModelLoader = (name: string) => Model | LanguageModel | Promise<Model | LanguageModel>;

/** What a loader gives, as a model that can be asked. */
export function modelLoader(load: ModelLoader): (name: string) => Promise<Model> {
  return async (name) => givenModel(await load(name), `What loadModel gave for “${name}”`);
}

function isModel(given: unknown): given is Model {
  const { ask, receiver } = Object(given) as Partial<Model>;
  return typeof ask === "function" && typeof receiver?.name === "string";
}

const howToLoad = '`await loadModel("provider/model", { env: process.env })` of charter/delivery';

function notModel(given: unknown, whose: string): Problem {
  if (given === undefined || given === null)
    return new Problem("no-model", `${whose} is not given.`, `Give ${howToLoad}, or a model of the AI SDK.`);
  const bad = (is: string, hint: string) => new Problem("bad-model", `${whose} is ${is}.`, hint);
  // Only what is plainly a name is repeated: it may be a key.
  if (typeof given === "string" && !providerNames.includes(splitModelName(given).provider))
    return bad("a text", `Give ${howToLoad}, or a model of the AI SDK.`);
  if (typeof given === "string")
    return bad(
      `the name “${given}”`,
      `Load it: \`await loadModel("${given}", { env: process.env })\` of charter/delivery.`,
    );
  if (typeof (given as { then?: unknown }).then === "function")
    return bad("a promise", "Await it: `model: await loadModel(…)`.");
  if (isLanguageModel(given))
    return bad(
      `“${given.modelId}” of ${given.provider}, made for version “${given.specificationVersion}” of the AI SDK's models`,
      `The versions that are known are ${specificationVersions.join(", ")}: use a provider package of AI SDK 5, 6 or 7.`,
    );
  if (typeof given === "function")
    return bad(
      "a function",
      'Give a model. A provider of the AI SDK is called with a model\'s name: `openai("gpt-…")`.',
    );
  return bad("no model", `Give ${howToLoad}, a model of the AI SDK, or an object with \`receiver\` and \`ask\`.`);
}
