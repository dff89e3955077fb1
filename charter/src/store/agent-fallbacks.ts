import { isText } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { AgentRecord } from "./agent-row.ts";

/** Names of models, each another. */
export function areFallbacks(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.every((name) => isText(name) && name.trim() !== "") && new Set(value).size === value.length;
}

type ModelList = Pick<AgentRecord, "name"> & { readonly model?: string | null; readonly fallbacks?: readonly string[] };

/** The models behind the first, as they are kept. Where none are named, an agent that keeps its model keeps them. */
export function fallbacksOf({ name, model = null, fallbacks }: ModelList, before?: AgentRecord): string | null {
  const list = fallbacks ?? (before && before.model === model ? (before.fallbacks ?? []) : []);
  if (list.length === 0) return null;
  if (model !== null && !list.includes(model)) return JSON.stringify(list);
  throw new Problem(
    "bad-model",
    model === null
      ? `“${name}” was given models to fall back to, and no first one.`
      : `“${name}” was given the model “${model}” twice.`,
    "Name each model once: first the one that is to be asked first.",
  );
}

/** What is said of them where it is on record that an agent was set up. */
export function fallbackDetail(fallbacks: string | null): { readonly fallbacks?: readonly string[] } {
  return fallbacks === null ? {} : { fallbacks: JSON.parse(fallbacks) };
}
