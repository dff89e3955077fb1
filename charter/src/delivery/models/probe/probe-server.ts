import { isRecord } from "../../../prompt/argument.ts";
import type { Model } from "../../model.ts";
import type { Receiver } from "../../receiver.ts";
import { findModel } from "../table/find-model.ts";
import { keyHeaders } from "./ask-window.ts";
import type { ProbeOptions } from "./probe-finding.ts";

/** What a fault is explained with: how the model is reached, and what its server can be asked besides. */
export type ProbedServer = {
  readonly name: string;
  readonly model: string;
  readonly receiver: Receiver;
  readonly address: string;
  /** Where its address and its key are set, as a sentence names it. */
  readonly base: string;
  readonly keyFrom: string;
  readonly hasKey: boolean;
  readonly secrets: readonly string[];
  readonly usualPath: string;
  readonly nameHint: string;
  /** The models the server lists. */
  readonly names: () => Promise<readonly string[]>;
  /** Is there a list of models at an address? */
  readonly isApi: (address: string) => Promise<boolean>;
};

/** How a model is reached, for whoever explains why it is not. Undefined: it is one that was made elsewhere. */
export function serverOf(
  name: string,
  options: ProbeOptions,
  { receiver, address = "" }: Model,
): ProbedServer | undefined {
  const found = findModel(name, options);
  if (!found) return undefined;
  const { headers, apiKey, secrets } = found.credentials(options.env);
  const isOwn = options.models !== undefined && Object.hasOwn(options.models, name);
  const [variable, , usualPath] = found.provider.address;
  const authorization = apiKey === undefined ? {} : keyHeaders(found.api, apiKey);
  const list = async (at: string): Promise<readonly string[] | undefined> => {
    try {
      const response = await (options.fetch ?? fetch)(`${at}/models`, {
        headers: { ...authorization, ...headers },
        redirect: "manual",
        signal: AbortSignal.timeout(5000),
      });
      if (!response.ok) return undefined;
      const listed: unknown = await response.json();
      if (!isRecord(listed)) return undefined;
      const all = Array.isArray(listed.data) ? listed.data : Array.isArray(listed.models) ? listed.models : undefined;
      return all?.filter(isRecord).map((one) => String(one.id ?? one.name).replace(/^models\//, ""));
    } catch {
      return undefined;
    }
  };
  const own = `“model” of the model “${name}”`;
  const nameHint =
    found.api === "ollama"
      ? `Fetch it with ollama pull ${found.model}, or mend ${isOwn ? own : "the name"}.`
      : found.api === "azure"
        ? `Azure knows models by the names of your deployments: mend ${isOwn ? own : "the name"}.`
        : `Fix ${isOwn ? own : "the name of the model"}.`;
  return {
    ...{ name, model: found.model, receiver, address, secrets, usualPath, nameHint },
    base: isOwn ? `“base” of the model “${name}”` : variable,
    keyFrom: found.keyFrom,
    hasKey: secrets.length > 0,
    names: async () => (await list(address)) ?? [],
    isApi: async (at) => (await list(at)) !== undefined,
  };
}
