import { loadPackage, type Purpose } from "../packages/load-package.ts";
import { badArgument, isObject, isText, kindOf } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import { type Embedder, isEmbedder } from "../prompt/tokens.ts";
import { type FoundModel, findModel, type ModelSources } from "./models/find-model.ts";
import { withinOrigin } from "./models/provider.ts";

/** An embedding model of the AI SDK, by its shape: no package of it is needed to compile this. */
export type EmbeddingModel = {
  readonly specificationVersion?: string;
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  readonly doEmbed: (options: {
    readonly values: string[];
    readonly abortSignal?: AbortSignal;
  }) => PromiseLike<{ readonly embeddings: readonly (readonly number[])[] }>;
};

/** The model that embeds notes: a name (`openai/text-embedding-3-small`), a model of the AI SDK, or your own. */
export type EmbedderChoice = string | EmbeddingModel | Embedder;

type LoadEmbedderOptions = ModelSources & { readonly fetch?: typeof fetch };

const forNotes: Purpose = { purpose: "Finding notes by what they mean" };
/** APIs whose packages have no embedding models. */
const without = ["anthropic"];

/** Returns the chosen embedder. A named model is loaded on first use, and reports its faults then. */
export function givenEmbedder(given: EmbedderChoice, options: LoadEmbedderOptions): Embedder {
  if (isText(given)) return namedEmbedder(given, options);
  if (isEmbedder(given)) return given;
  if (isEmbeddingModel(given)) return embedderOf(`${given.provider}/${given.modelId}`, given);
  throw badArgument(
    `The \`embed\` of \`memory\` is ${kindOf(given)}.`,
    'Give a model\'s name, as in "openai/text-embedding-3-small", an embedding model of the AI SDK, or { name, embed }.',
  );
}

function isEmbeddingModel(given: unknown): given is EmbeddingModel {
  return isObject(given) && typeof (given as EmbeddingModel).doEmbed === "function";
}

/** Finds an embedder by name. An unknown name is reported at once; a missing key on first use. */
function namedEmbedder(name: string, { fetch, ...sources }: LoadEmbedderOptions): Embedder {
  const foundModel = findModel(name, sources);
  if (!foundModel || without.includes(foundModel.api))
    throw new Problem(
      "unknown-embedder",
      `“${name}” is no embedding model that is known.`,
      "Name one as provider/model, as in openai/text-embedding-3-small or ollama/nomic-embed-text: docs/memory.md.",
    );
  let opened: Promise<EmbeddingModel> | undefined;
  return {
    name,
    embed: async (texts, about) => {
      opened ??= openEmbedder(foundModel, sources.env, fetch);
      const model = await opened.catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return embedderOf(name, model).embed(texts, about);
    },
  };
}

async function openEmbedder(
  { api, model, ...found }: FoundModel,
  env: ModelSources["env"],
  fetch?: typeof globalThis.fetch,
): Promise<EmbeddingModel> {
  const { apiKey, headers } = found.credentials(env);
  const to = { baseURL: found.address(), headers, fetch: withinOrigin(fetch), ...(apiKey ? { apiKey } : {}) };
  // Sets a placeholder key: without one, these two packages would take a key from the environment, whatever the address is.
  const keyed = { ...to, apiKey: apiKey || "none" };
  if (api === "openai" || api === "openai-chat")
    return (await loadPackage("@ai-sdk/openai", forNotes)).createOpenAI(keyed).embeddingModel(model);
  if (api === "google")
    return (await loadPackage("@ai-sdk/google", forNotes)).createGoogle(keyed).embeddingModel(model);
  const { createOpenAICompatible } = await loadPackage("@ai-sdk/openai-compatible", forNotes);
  return createOpenAICompatible({ ...to, name: api }).embeddingModel(model);
}

function embedderOf(name: string, model: EmbeddingModel): Embedder {
  return {
    name,
    embed: async (texts, { signal }) => {
      const maxTexts = (await model.maxEmbeddingsPerCall) ?? texts.length;
      const vectors: (readonly number[])[] = [];
      for (let from = 0; from < texts.length; from += maxTexts) {
        const values = texts.slice(from, from + maxTexts);
        vectors.push(...(await model.doEmbed({ values, abortSignal: signal })).embeddings);
      }
      return vectors;
    },
  };
}
