import type { Model, ModelRequest, ModelResult } from "../../src/delivery/model.ts";
import { loadModel } from "../../src/delivery/models/provider.ts";
import { type Receiver, receiverOf } from "../../src/delivery/receiver.ts";
import type { Kind } from "../../src/testing/strict/speech.ts";

/** A model of each kind, of those whose protocol can be told of breakpoints where there is one. */
export const modelNames: Readonly<Record<Kind, string>> = {
  anthropic: "anthropic/claude-sonnet-5-5",
  openai: "openai/gpt-5.6-terra",
  "openai-chat": "openai-chat/gpt-5.6-terra",
  "openai-compatible": "openai-compatible/qwen3",
  google: "google/gemini-3.8-flash",
};

export const key = "sk-loopback-0123456789";

/** The environment of someone whose providers all live at one address. */
export function environmentAt(url: string): Record<string, string> {
  return {
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: url,
    GEMINI_API_KEY: key,
    GOOGLE_BASE_URL: url,
    OPENROUTER_API_KEY: key,
    OPENROUTER_BASE_URL: url,
    OLLAMA_BASE_URL: url,
    OPENAI_COMPATIBLE_BASE_URL: url,
  };
}

export function modelAt(url: string, name: string, overrides?: Partial<Receiver>): Promise<Model> {
  return loadModel(name, { env: environmentAt(url), ...(overrides ? { overrides } : {}) });
}

/** What is known of a model that is not served where its provider serves it. */
export function elsewhere(name: string): Receiver {
  const { guardsTokens: _known, ...receiver } = receiverOf(name);
  return receiver;
}

export const hello: ModelRequest = {
  tools: [],
  system: [{ text: "Be kind." }],
  messages: [{ role: "user", text: "Hello" }],
};

/** One question, and the words as they came. */
export async function ask(
  model: Model,
  request: ModelRequest,
): Promise<ModelResult & { readonly heard: readonly string[] }> {
  const heard: string[] = [];
  const asked = await model.ask(request, {
    signal: new AbortController().signal,
    onText: (delta) => heard.push(delta),
  });
  return { ...asked, heard };
}
