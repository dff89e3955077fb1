import { Problem } from "../../../prompt/problem.ts";
import type { Model } from "../../model.ts";
import { receiverFacts, receiverOf, splitModelName } from "../../providers.ts";
import type { Receiver } from "../../receiver.ts";
import { isLanguageModel } from "../language-model.ts";
import { type Provider, providerNamed } from "../provider-list.ts";
import type { Connection, Environment } from "./connection.ts";
import { givenReceiver, guardedAt, originOf } from "./given-receiver.ts";
import { type ModelApi, type ModelConfig, type ModelEntry, type ModelTable, usualCaches } from "./model-entry.ts";

/** Where models are found: keys and addresses of providers in the environment, models of one's own in a table. */
export type ModelSources = { readonly env: Environment; readonly models?: ModelTable | undefined };

/** A model that is known by its name, and how it is reached. Nothing is loaded or asked for that. */
export type FoundModel = {
  readonly name: string;
  /** Its protocol: a provider's name. */
  readonly api: string;
  readonly provider: Provider;
  /** Its name at the provider. */
  readonly model: string;
  readonly receiver: Receiver;
  /** Its cache rules are not the usual ones. */
  readonly ownCache: boolean;
  /** Where its key comes from: a variable, or its place in the settings. */
  readonly keyFrom: string;
  /** The variables without which it cannot be asked. */
  readonly needs: readonly string[];
  /** Where it is served; a Problem where nobody says. */
  readonly address: () => string;
  /** Key and headers, by the variables they are in; a Problem where one is missing. */
  readonly credentials: (env: Environment) => Credentials;
};

type Credentials = Pick<Connection, "apiKey" | "headers"> & {
  /** What of them nobody may read in an error. */
  readonly secrets: readonly string[];
};

/** The entry that a table has for a name. */
export function entryNamed(name: string, models: ModelTable | undefined): ModelEntry | undefined {
  return models && Object.hasOwn(models, name) ? models[name] : undefined;
}

/** Is it a model already, and not the description of one? */
export function isGiven(entry: ModelEntry): entry is Exclude<ModelEntry, ModelConfig> {
  return isLanguageModel(entry) || typeof (entry as Partial<Model>).ask === "function";
}

/** What is known of a model of the table, under the name it has there. `given` is the address, if its entry has none. */
export function entryReceiver(name: string, entry: ModelEntry, given?: string): Receiver {
  if (isLanguageModel(entry)) return { ...givenReceiver(entry), name };
  if (isGiven(entry)) return { ...entry.receiver, name };
  const { window, price, slots, cache, attachments, output, reasoning, roles, guardsTokens, model = name } = entry;
  const api = apiOf(entry);
  const provider = providerNamed(api) as Provider;
  return {
    ...guardedAt(entry.base ?? (given || provider.address[1]), provider, receiverOf(`${api}/${model}`)),
    name,
    ...(guardsTokens === undefined ? {} : { guardsTokens }),
    ...(window === undefined ? {} : { window }),
    ...(price === undefined ? {} : { price: { read: price.input, write: price.input, ...price } }),
    ...(slots === undefined ? {} : { slots }),
    ...(cache === undefined ? {} : { cache: typeof cache === "string" ? usualCaches[cache] : cache }),
    ...(attachments === undefined ? {} : { attachments }),
    ...(output === undefined ? {} : { output }),
    ...(reasoning === undefined ? {} : { reasoning }),
    // What speaks for the system within the history does so in the user's role then.
    ...(roles === "alternate" ? { roles, voice: "user" as const } : {}),
  };
}

/** What is known of a model by its name: as the table has it, else as its provider has it. */
export function knownReceiver(name: string, models: ModelTable | undefined): Receiver {
  const entry = entryNamed(name, models);
  return entry === undefined ? receiverFacts(name) : entryReceiver(name, entry);
}

/** A model of the table, or of a provider. Undefined: nobody knows it, or it is one that can be asked as it is. */
export function findModel(name: string, { env, models }: ModelSources): FoundModel | undefined {
  const entry = entryNamed(name, models);
  if (entry !== undefined) return isGiven(entry) ? undefined : foundEntry(name, entry, env);
  const { provider: api, model } = splitModelName(name);
  const provider = providerNamed(api);
  if (!provider || model === "") return undefined;
  const { keys, keyless, address } = provider;
  return {
    ...{ name, api, provider, model, ownCache: false },
    receiver: guardedAt(env[address[0]]?.trim() || address[1], provider, receiverOf(name)),
    keyFrom: keys.find((one) => env[one]) ?? (keys[0] as string),
    needs: keyless || keyIn(keys, env) ? [] : keys.slice(0, 1),
    address: () => addressOf(name, env[address[0]]?.trim() || address[1], provider),
    credentials: (from) => {
      const apiKey = keyIn(keys, from);
      if (!apiKey && !keyless) throw needsKey(name, keys);
      return { ...placed(api, apiKey), secrets: apiKey ? [apiKey] : [] };
    },
  };
}

function foundEntry(name: string, entry: ModelConfig, env: Environment): FoundModel {
  const api = apiOf(entry);
  const provider = providerNamed(api) as Provider;
  const { model = name, base, key, headers = {}, cache } = entry;
  const [variable, usual] = provider.address;
  // A provider's key goes to that provider alone, and elsewhere only if the entry says so.
  const isUsual = key === undefined && (base === undefined || originOf(base) === originOf(usual));
  const keys = key === undefined ? (isUsual ? provider.keys : []) : [variableOf(key) ?? []].flat();
  const isNeeded = keys.length > 0 && !(isUsual && provider.keyless);
  const headerVariables = Object.values(headers).flatMap((value) => variableOf(value) ?? []);
  return {
    ...{ name, api, provider, model, ownCache: cache !== undefined },
    receiver: entryReceiver(name, entry, env[variable]?.trim()),
    keyFrom: keys[0] ?? `“key” of the model “${name}”`,
    needs: [...(isNeeded && !keyIn(keys, env) ? keys.slice(0, 1) : []), ...headerVariables],
    address: () => addressOf(name, base ?? (env[variable]?.trim() || usual), provider),
    credentials: (from) => {
      const apiKey = keys.length > 0 ? keyIn(keys, from) : typeof key === "string" ? key.trim() : undefined;
      if (!apiKey && isNeeded) throw needsKey(name, keys);
      const own = Object.entries(headers).map(
        ([header, value]) => [header, headerValue(name, header, value, from)] as const,
      );
      const hidden = own.flatMap(([header, value]) => (isSecretHeader(header) ? [value] : []));
      const { headers: others, ...rest } = placed(api, apiKey);
      return {
        ...{ ...rest, headers: { ...others, ...Object.fromEntries(own) } },
        secrets: [...(apiKey ? [apiKey] : []), ...hidden],
      };
    },
  };
}

/** Azure takes its key in a header of its own. */
function placed(api: string, apiKey: string | undefined): Pick<Connection, "apiKey" | "headers"> {
  if (api !== "azure") return { apiKey, headers: {} };
  return { apiKey: undefined, headers: apiKey ? { "api-key": apiKey } : {} };
}

function isSecretHeader(name: string): boolean {
  return /key|auth|token|secret|cookie|password/i.test(name);
}

/** The variable that a key or a header is in; undefined where it is the value itself. */
function variableOf(value: string | { readonly env: string }): string | undefined {
  if (typeof value !== "string") return value.env;
  return value.startsWith("$") ? value.slice(1) : undefined;
}

function headerValue(name: string, header: string, value: string | { readonly env: string }, env: Environment): string {
  const variable = variableOf(value);
  if (variable === undefined) return String(value);
  const found = env[variable]?.trim();
  if (found) return found;
  const message = `“${name}” needs the header “${header}”, and ${variable} is not set.`;
  throw new Problem("needs-key", message, `Set ${variable}, or change the header where “${name}” is described.`);
}

const wellKnown: readonly (readonly [host: RegExp, api: ModelApi])[] = [
  [/^api\.anthropic\.com$/, "anthropic"],
  [/^api\.openai\.com$/, "openai"],
  [/^generativelanguage\.googleapis\.com$/, "google"],
  [/(?:^|\.)openrouter\.ai$/, "openrouter"],
  [/\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/, "azure"],
];

/** The protocol of an entry: as it says, else that of a well-known address, else that of most servers. */
function apiOf({ api, base }: ModelConfig): ModelApi {
  if (api !== undefined) return api;
  const url = base === undefined ? null : URL.parse(base);
  if (url?.port === "11434") return "ollama";
  return wellKnown.find(([host]) => host.test(url?.hostname ?? ""))?.[1] ?? "openai-compatible";
}

function keyIn(keys: readonly string[], env: Environment): string | undefined {
  return keys.map((key) => env[key]?.trim()).find((key) => key !== undefined && key !== "");
}

function needsKey(name: string, variables: readonly string[]): Problem {
  return new Problem(
    "needs-key",
    `“${name}” needs a key, and ${variables.join(" or ")} is not set.`,
    `Set ${variables[0]}, or use “stand-in/scripted”, which needs none.`,
  );
}

function addressOf(name: string, given: string | undefined, { address: [variable, , path] }: Provider): string {
  if (given === undefined)
    throw new Problem(
      "needs-address",
      `Where “${name}” is served is not known: ${variable} is not set.`,
      `Set ${variable} to the server's address, like http://localhost:8000/v1.`,
    );
  const url = URL.parse(given);
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new Problem(
      "bad-address",
      `${variable} is “${given}”, which is no address of a server.`,
      "Give one that begins with http:// or https://.",
    );
  return url.pathname === "/" ? `${url.origin}${path}${url.search}` : given.replace(/\/+$/, "");
}
