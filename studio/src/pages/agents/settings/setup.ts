import type { AgentListAnswer } from "charter/answers";
import { isSame, type Settings } from "./path.ts";

/** What can be changed of an agent. No models: it has the server's default. */
export type Setup = {
  readonly charter: string;
  readonly label: string;
  readonly models: readonly string[];
  readonly settings: Settings;
};

type AgentFacts = Pick<AgentListAnswer["agents"][number], "charter" | "label" | "model" | "fallbacks" | "settings">;

export function setupOf({ charter, label = "", model, fallbacks = [], settings }: AgentFacts): Setup {
  return { charter, label, models: model === null ? [] : [model, ...fallbacks], settings };
}

/** What is sent to change one into the other: only what differs. Undefined: nothing does. */
export function changeOf(before: Setup, after: Setup): Readonly<Record<string, unknown>> | undefined {
  const change = {
    ...(after.charter === before.charter ? {} : { charter: after.charter }),
    ...(after.label.trim() === before.label ? {} : { label: after.label.trim() === "" ? null : after.label.trim() }),
    ...(isSame(namesOf(after), before.models) ? {} : { model: namesOf(after).length === 0 ? null : namesOf(after) }),
    ...(isSame(after.settings, before.settings) ? {} : { settings: after.settings, replace: true }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

/** A line that was added and not filled in names no model. */
export function namesOf({ models }: Pick<Setup, "models">): readonly string[] {
  return models.map((name) => name.trim()).filter((name) => name !== "");
}
