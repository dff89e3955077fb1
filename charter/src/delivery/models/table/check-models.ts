import { isRecord } from "../../../prompt/argument.ts";
import { listed, Problem } from "../../../prompt/problem.ts";
import { isLanguageModel, specificationVersions } from "../language-model.ts";
import { type ModelTable, modelApis, reasonings, usualCaches } from "./model-entry.ts";

type Check = readonly [isSound: (value: unknown) => boolean, what: string];

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
const isAmount = (value: unknown) => typeof value === "number" && Number.isFinite(value) && value >= 0;
const isOneOf = (names: readonly string[]): Check => [
  (value) => names.includes(value as string),
  `is none of ${listed(names)}`,
];
const isVariable = (value: unknown) => isText(value) && /^[a-z_][a-z0-9_]*$/i.test(value);
const isSecret = (value: unknown) =>
  isRecord(value)
    ? Object.keys(value).join() === "env" && isVariable(value.env)
    : isText(value) && !/[\r\n\0]/.test(value) && (!value.startsWith("$") || isVariable(value.slice(1)));
const isHeader = ([name, value]: readonly [string, unknown]) => /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && isSecret(value);

const fields: Readonly<Record<string, Check>> = {
  base: [isAddress, "is no address of a server: one begins with http:// or https://, and has no password in it"],
  model: [isText, "is no name"],
  api: isOneOf(modelApis),
  key: [isSecret, 'is no key, and names no variable, as in "$MY_KEY" or { env: "MY_KEY" }'],
  window: [(value) => isCount(value) && (value as number) >= 1000, "is no number of tokens: a whole one from 1000 up"],
  price: [
    isPrice,
    "is no price: dollars per million tokens, as in { input: 0.4, output: 1.6 }; read and write may be added",
  ],
  slots: isOneOf(["layered", "one-string"]),
  cache: [
    isCache,
    `is none of ${listed(Object.keys(usualCaches))}, nor rules like { kind: "prefix", min: 1024, granularity: 128, ttlSeconds: 300 }`,
  ],
  attachments: [
    (value) => Array.isArray(value) && value.every((one) => ["image", "pdf", "text"].includes(one)),
    'is no list of what it takes, as in ["image", "pdf"] or []',
  ],
  output: [isCount, "is no number of tokens: a whole one from 1 up"],
  reasoning: isOneOf(reasonings),
  headers: [
    (value) => isRecord(value) && Object.entries(value).every(isHeader),
    'is no object of headers, as in { "x-team": "ada", "x-key": "$TEAM_KEY" }',
  ],
  guardsTokens: [(value) => typeof value === "boolean", "is neither true nor false"],
  roles: isOneOf(["alternate", "any"]),
};

const modelFields: readonly string[] = Object.keys(fields);

/** Where a table stands, as a Problem names it, and the code of that Problem. */
type TablePlace = { readonly place: string; readonly code: "bad-config" | "bad-model" };

/** Checks a table of models. What is wrong is named, and never repeated: it may be a key. */
export function checkModels(models: unknown, { place, code }: TablePlace): ModelTable {
  const bad = (message: string) =>
    new Problem(
      code,
      message,
      'As in { local: { base: "http://localhost:8000/v1", model: "qwen3" } }: docs/models.md.',
    );
  if (!isRecord(models)) throw bad(`The models in ${place} are no object.`);
  for (const [name, entry] of Object.entries(models)) {
    if (!/^[a-z0-9][a-z0-9._:@/+-]{0,99}$/i.test(name))
      throw bad(
        `A name of a model in ${place} is none: 1 to 100 letters, digits and ._:@/+-, a letter or digit first.`,
      );
    // A host may give the stand-in, made already, under names of its own.
    const isOwnStandIn = /^stand-in\/(?!scripted$)/.test(name) && isGivenModel(entry);
    if (/^(?:acp\/|stand-in(?:\/|$))/.test(name) && !isOwnStandIn)
      throw bad(`“${name}” in ${place} cannot be the name of a model of yours: it is taken.`);
    if (isGivenModel(entry)) continue;
    if (!isRecord(entry) || isLanguageModel(entry))
      throw bad(`“${name}” in ${place} is no model, of the AI SDK or otherwise, and does not say how one is reached.`);
    for (const [field, value] of Object.entries(entry)) {
      const check = Object.hasOwn(fields, field) ? fields[field] : undefined;
      if (!check)
        throw bad(
          `“${field}” of the model “${name}” in ${place} is not a setting. Those are ${modelFields.join(", ")}.`,
        );
      if (value !== undefined && !check[0](value))
        throw bad(`“${field}” of the model “${name}” in ${place} ${check[1]}.`);
    }
    if (entry.base === undefined && (entry.api === undefined || needBase.includes(entry.api as string)))
      throw bad(`The model “${name}” in ${place} does not say where it is served: it has no “base”.`);
  }
  return models as ModelTable;
}

const needBase: readonly string[] = ["openai-compatible", "azure"];

/** One that can be asked as it is: of the AI SDK, or `{ receiver, ask }`. */
function isGivenModel(entry: unknown): boolean {
  if (isLanguageModel(entry)) return specificationVersions.includes(entry.specificationVersion);
  const { ask, receiver } = Object(entry) as {
    readonly ask?: unknown;
    readonly receiver?: { readonly name?: unknown };
  };
  return typeof ask === "function" && typeof receiver?.name === "string";
}

function isAddress(value: unknown): boolean {
  const url = isText(value) ? URL.parse(value) : null;
  return (url?.protocol === "http:" || url?.protocol === "https:") && url.username === "" && url.password === "";
}

function isPrice(value: unknown): boolean {
  if (!isRecord(value) || value.input === undefined || value.output === undefined) return false;
  return Object.entries(value).every(
    ([name, amount]) => ["input", "read", "write", "output"].includes(name) && isAmount(amount),
  );
}

function isCache(value: unknown): boolean {
  if (typeof value === "string") return Object.hasOwn(usualCaches, value);
  if (!isRecord(value) || !Object.hasOwn(usualCaches, String(value.kind))) return false;
  const usual = usualCaches[value.kind as keyof typeof usualCaches];
  const isSound = (name: string, given: unknown) =>
    name === "kind" ||
    (name === "implicit" ? typeof given === "boolean" : isAmount(given) || (name === "lookback" && given === null));
  return (
    Object.keys(usual).every((name) => value[name] !== undefined) &&
    Object.entries(value).every(([name, given]) => Object.hasOwn(usual, name) && isSound(name, given))
  );
}
