import { receiverOf, splitModelName } from "../../providers.ts";
import type { Receiver } from "../../receiver.ts";
import { type LanguageModel, languageModelName } from "../language-model.ts";
import { type Provider, providerNamed } from "../provider-list.ts";

/** What is known of a model of the AI SDK: by its name, and by where it is served as far as it says so. */
export function givenReceiver(given: LanguageModel): Receiver {
  const name = languageModelName(given);
  return guardedAt(addressIn(given), providerNamed(splitModelName(name).provider), receiverOf(name));
}

/** A provider guards itself at its own address. Who answers under its name elsewhere is not known. */
export function guardedAt(address: string | undefined, provider: Provider | undefined, receiver: Receiver): Receiver {
  if (!receiver.guardsTokens || originOf(address) === originOf(provider?.address[1])) return receiver;
  const { guardsTokens: _unknown, ...rest } = receiver;
  return rest;
}

export function originOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : URL.parse(address)?.origin;
}

/** The packages of the AI SDK keep the address with a model, each in one of two ways. */
function addressIn(given: LanguageModel): string | undefined {
  type Config = { readonly baseURL?: unknown; readonly url?: unknown };
  const { baseURL, url } = Object((given as { readonly config?: unknown }).config) as Config;
  if (typeof baseURL === "string") return baseURL;
  if (typeof url !== "function") return undefined;
  try {
    return String(url({ path: "", modelId: given.modelId }));
  } catch {
    return undefined;
  }
}
