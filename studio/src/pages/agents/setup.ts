import type { AgentListAnswer } from "charter/answers";
import { useState } from "react";
import { encodeName, sendJson } from "../../api/request.ts";
import { useAct } from "../../app/form-dialog.tsx";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import type { Agent } from "./acts.tsx";

/** What was typed over what; and the JSON as it was typed, which may be none yet. */
type Draft = { readonly base: Setup; readonly typed: Setup; readonly text?: string };
type Saved = Agent & { readonly notices?: readonly { readonly code: string; readonly message: string }[] };

/**
 * How an agent is set up, as someone is changing it: form and JSON are two views of it. What others change meanwhile is
 * taken over at once, unless it is the very setting that was typed here: then one of the two has to be chosen.
 */
export function useSetup(agent: Agent) {
  const { newest, setSaved } = useNewest(agent);
  const current = setupOf(newest);
  const [draft, setDraft, settled] = useDraft<Draft>(placeOfDraft("settings", agent.name));
  const [notices, setNotices] = useState<Saved["notices"]>();
  const act = useAct();
  const { base = current, typed: mine = current } = draft ?? {};
  const { merged, conflicts, taken } = mergeChanges(base, mine, current);
  const typed = merged as Setup;
  const usual = JSON.stringify(typed.settings, null, 2);
  const parsed = draft?.text === undefined ? undefined : settingsIn(draft.text);
  // What was typed as JSON stands as it was typed, as long as it says the same or nothing that can be read.
  const isTheirs = parsed?.settings !== undefined && !isSame(parsed.settings, typed.settings);
  const text = draft?.text === undefined || isTheirs ? usual : draft.text;
  const change = changeOf(current, typed);
  // What is disputed stays so until it is decided; all else of theirs is known now.
  const known = conflicts.length > 0 ? base : current;
  const set = (part: Partial<Setup>) => {
    setNotices(undefined);
    setDraft({ base: known, typed: { ...typed, ...part } });
  };
  return {
    current,
    typed,
    text,
    fault: isTheirs ? undefined : parsed?.fault,
    conflicts,
    taken: draft ? taken : [],
    change,
    notices,
    busy: act.busy,
    problem: act.problem,
    set,
    setText: (words: string) => {
      setNotices(undefined);
      const { settings = typed.settings } = settingsIn(words);
      setDraft({ base: known, typed: { ...typed, settings }, text: words });
    },
    decide: ({ path, theirs }: Conflict, whose: "mine" | "theirs") => {
      const next = whose === "mine" ? typed : (withValue(typed, path, theirs) as Setup);
      setDraft({ base: withValue(base, path, theirs) as Setup, typed: next });
    },
    undo: () => setDraft(undefined),
    save: async () => {
      const path = `/agents/${encodeName(agent.name)}`;
      const sent = draft;
      const answer = await act.run(() =>
        sendJson<Saved>(path, { ...change, version: newest.version }, { method: "PATCH" }),
      );
      if (answer === undefined) return false;
      setSaved(answer);
      setNotices(answer.notices ?? []);
      if (settled(sent)) setDraft(undefined);
      return true;
    },
  };
}

/** The agent as it was saved here last, until that has been read again: what is saved next is saved over that. */
function useNewest(agent: Agent) {
  const [saved, setSaved] = useState<{ readonly over: string; readonly agent: Agent }>();
  if (saved && saved.over !== agent.version) setSaved(undefined);
  return {
    newest: saved?.over === agent.version ? saved.agent : agent,
    setSaved: (answer: Agent) => setSaved({ over: agent.version, agent: answer }),
  };
}

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

/** Settings as they are typed: an object in JSON, or what is wrong with it and where. */
export type TypedSettings =
  | { readonly settings: Readonly<Record<string, unknown>>; readonly fault?: undefined }
  | { readonly settings?: undefined; readonly fault: string };

export function settingsIn(text: string): TypedSettings {
  if (text.trim() === "") return { settings: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: `This is not JSON: ${placed((error as Error).message, text)}.` };
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return { settings: value as Record<string, unknown> };
  return { fault: "Settings are a JSON object: { … }." };
}

/** A browser counts characters; people count lines. */
function placed(message: string, text: string): string {
  const at = /end of JSON/.test(message) ? text.length : Number(/position (\d+)/.exec(message)?.[1] ?? Number.NaN);
  const words = message.replace(/ in JSON at position.*$/s, "").replace(/ of JSON input$/, "");
  if (Number.isNaN(at)) return words.replace(/\.$/, "");
  const before = text.slice(0, at).split("\n");
  return `${words}, in line ${before.length}, at character ${(before.at(-1) as string).length + 1}`;
}

/** A setting that two have changed, each to something else. */
export type Conflict = { readonly path: Path; readonly mine: unknown; readonly theirs: unknown };

/** Both changes in one; where they contradict each other, mine stands until it is decided. */
export type Merge = {
  readonly merged: unknown;
  readonly conflicts: readonly Conflict[];
  /** What they have changed and I have not. */
  readonly taken: readonly Path[];
};

/** What becomes of two changes of the same settings. Lists are taken as a whole. */
export function mergeChanges(base: unknown, mine: unknown, theirs: unknown, path: Path = []): Merge {
  if (isSame(mine, theirs)) return { merged: mine, conflicts: [], taken: [] };
  if (isSame(base, theirs)) return { merged: mine, conflicts: [], taken: [] };
  const both = isRecord(mine) && isRecord(theirs) && (isRecord(base) || base === undefined);
  if (!both) {
    if (isSame(base, mine)) return { merged: theirs, conflicts: [], taken: [path] };
    return { merged: mine, conflicts: [{ path, mine, theirs }], taken: [] };
  }
  const before = isRecord(base) ? base : {};
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  const parts = names.map((name) => {
    const at = (value: Record<string, unknown>) => (Object.hasOwn(value, name) ? value[name] : undefined);
    return [name, mergeChanges(at(before), at(mine), at(theirs), [...path, name])] as const;
  });
  return {
    merged: Object.fromEntries(
      parts.filter(([, { merged }]) => merged !== undefined).map(([name, { merged }]) => [name, merged]),
    ),
    conflicts: parts.flatMap(([, { conflicts }]) => conflicts),
    taken: parts.flatMap(([, { taken }]) => taken),
  };
}

/** Settings of an agent: JSON by name. */
export type Settings = Readonly<Record<string, unknown>>;

/** Where a setting stands: `["original", "soul"]`. */
export type Path = readonly string[];

/** What stands there; undefined where nothing does. */
export function valueAt(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return value;
  if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
  return valueAt(value[name], rest);
}

/** Whether something can be set there without taking anything else away: what is above it is an object, or nothing yet. */
export function canSet(settings: unknown, path: Path): boolean {
  return path.every((_, depth) => {
    const above = valueAt(settings, path.slice(0, depth));
    return above === undefined || isRecord(above);
  });
}

/**
 * The same with another value there; undefined takes it away, and what is empty then goes with it. Nothing else changes,
 * and names keep their order.
 */
export function withValue(settings: Settings, [name, ...rest]: Path, value: unknown): Settings {
  if (name === undefined) return isRecord(value) ? value : settings;
  const before = Object.hasOwn(settings, name) ? settings[name] : undefined;
  const inner = rest.length === 0 ? value : withValue(isRecord(before) ? before : {}, rest, value);
  const goes =
    inner === undefined || (rest.length > 0 && value === undefined && Object.keys(inner as object).length === 0);
  const others = Object.entries(settings);
  if (goes) return Object.fromEntries(others.filter(([one]) => one !== name));
  const isNew = !Object.hasOwn(settings, name);
  return Object.fromEntries([
    ...others.map(([one, old]) => [one, one === name ? inner : old] as const),
    ...(isNew ? [[name, inner] as const] : []),
  ]);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same JSON, in whatever order its names stand. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, index) => isSame(value, other[index]));
  if (isRecord(one) && isRecord(other)) {
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
    );
  }
  return Object.is(one, other) || one === other;
}
