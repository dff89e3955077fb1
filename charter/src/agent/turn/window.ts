import type { Fault, Model } from "../../delivery/model.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { LearnedWindow, ServedModel, WindowSource } from "../../store/windows.ts";
import { leastWindow } from "../limits.ts";

/**
 * The window: the maximum number of tokens of a request, and how it is known: it was "set", is "known" of the model, or was
 * learned.
 */
export type ResolvedWindow =
  | { readonly window: number; readonly how: "set" | "known" | WindowSource }
  | { readonly window: null; readonly how: "unknown" };

type WindowDeps = {
  readonly model: Model;
  readonly windows: LearnedWindows;
  readonly asked: { readonly window?: number | undefined };
  readonly clock: () => Date;
};

/** Dependencies for a preview of a model, for which its name and address are enough. */
type KeptWindowDeps = {
  readonly model: Pick<Model, "receiver" | "address">;
  readonly windows: Pick<LearnedWindows, "get">;
  readonly asked: WindowDeps["asked"];
};

/** Milliseconds for which a server's answer about its window holds; then it is asked again. */
const serverAnswerMs = 24 * 60 * 60 * 1000;

/** Minimum window, in tokens, that a fault is believed to name. */
const minStatedWindow = 256;

/**
 * Finds the window a turn works with: the one that was set; the model's known one, unless it refused less where it is served; the
 * one learned there; the one its server tells. Otherwise it is unknown: there is no limit until a fault teaches one.
 */
export async function resolveWindow(deps: WindowDeps, signal: AbortSignal): Promise<ResolvedWindow> {
  const { resolved, since } = await lookUp(deps);
  const isTold = resolved.how === "asked" && deps.clock().getTime() - Date.parse(since) <= serverAnswerMs;
  if (isTold || (resolved.how !== "asked" && resolved.how !== "unknown")) return resolved;
  const answer = await deps.windows.ask(deps.model, signal);
  return answer ? { window: answer.tokens, how: answer.how } : resolved;
}

/** Finds the window without asking a server, for a preview of an agent. */
export async function keptWindow(deps: KeptWindowDeps): Promise<ResolvedWindow> {
  return (await lookUp(deps)).resolved;
}

/** Looks up the known window and, for a learned one, since when. */
async function lookUp({ model, windows, asked }: KeptWindowDeps) {
  const result = (resolved: ResolvedWindow, since = "") => ({ resolved, since });
  const { window: knownWindow, keepsHistory } = model.receiver;
  if (asked.window !== undefined) return result({ window: asked.window, how: "set" });
  const learned = keepsHistory ? undefined : await windows.get(model);
  if (knownWindow !== null && !(learned && learned.how !== "asked" && learned.tokens < knownWindow))
    return result({ window: knownWindow, how: "known" });
  return learned
    ? result({ window: learned.tokens, how: learned.how }, learned.at)
    : result({ window: null, how: "unknown" });
}

/**
 * Keeps the window that a fault states, and returns the window for the rest of the turn. `refused` is the request's size by our
 * count: the result is less, even where the provider counts otherwise.
 */
export async function learnWindow(deps: WindowDeps, fault: Fault, refused: number): Promise<ResolvedWindow> {
  const stated = fault.tooLong?.window;
  const guess = Math.floor(refused * 0.9);
  if (!fault.tooLong) return keptWindow(deps);
  const isNamed = stated !== undefined && stated >= minStatedWindow;
  // Requests this short are refused for another reason, whatever the fault says.
  if (!isNamed && guess < leastWindow) return keptWindow(deps);
  const learned = await deps.windows.learn(deps.model, isNamed ? stated : guess, isNamed ? "said" : "guessed");
  return { window: Math.max(1, Math.min(learned.tokens, guess)), how: learned.how };
}

/** Raises a guessed window that is less than an answered request. */
export async function confirmWindow(deps: WindowDeps, tokens: number | null): Promise<void> {
  if (tokens === null || deps.model.receiver.keepsHistory) return;
  const learned = await deps.windows.get(deps.model);
  if (learned?.how === "guessed" && learned.tokens < tokens) await deps.windows.raise(deps.model, tokens);
}

/** Tells whether a value can be set as a window: a whole number of tokens that is enough for an agent. */
export function isWindow(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= leastWindow;
}

export function checkWindow(window: unknown): void {
  if (window === undefined || isWindow(window)) return;
  throw new Problem(
    "bad-window",
    `${JSON.stringify(window)} is no window.`,
    `Give a whole number of tokens from ${leastWindow} up: the most that the model takes.`,
  );
}

/** The learned windows of models, as this process knows them. The store has the same; this spares reading it every turn. */
export type LearnedWindows = {
  readonly get: (model: Pick<Model, "receiver" | "address">) => Promise<LearnedWindow | undefined>;
  readonly learn: (model: Model, tokens: number, how: WindowSource) => Promise<LearnedWindow>;
  readonly raise: (model: Model, tokens: number) => Promise<void>;
  /** Asks the server, unless it was asked a moment ago; keeps its answer. */
  readonly ask: (model: Model, signal: AbortSignal) => Promise<LearnedWindow | undefined>;
};

/**
 * Milliseconds after which the store is read again for what other processes learned, and after which a server that tells nothing
 * may be asked again.
 */
const freshMs = 60_000;

export function createLearnedWindows(store: Store, clock: () => Date): LearnedWindows {
  const read = new Map<string, { readonly at: number; readonly window: Promise<LearnedWindow | undefined> }>();
  const asked = new Map<string, number>();
  const isFresh = (at: number | undefined) => at !== undefined && Math.abs(clock().getTime() - at) < freshMs;
  const keep = (served: ServedModel, window: LearnedWindow) =>
    read.set(keyOf(served), { at: clock().getTime(), window: Promise.resolve(window) });
  const learn = async (model: Model, tokens: number, how: WindowSource) => {
    const window = await store.windows.learn({ ...servedOf(model), tokens, how });
    keep(servedOf(model), window);
    return window;
  };
  return {
    learn,
    get: (model) => {
      const served = servedOf(model);
      const known = read.get(keyOf(served));
      if (known && isFresh(known.at)) return known.window;
      const window = store.windows.get(served);
      read.set(keyOf(served), { at: clock().getTime(), window });
      window.catch(() => read.delete(keyOf(served)));
      return window;
    },
    raise: async (model, tokens) => {
      await store.windows.raise(servedOf(model), tokens);
      read.delete(keyOf(servedOf(model)));
    },
    ask: async (model, signal) => {
      const key = keyOf(servedOf(model));
      if (!model.askWindow || isFresh(asked.get(key))) return undefined;
      asked.set(key, clock().getTime());
      const tokens = await model.askWindow({ signal }).catch(() => null);
      return tokens !== null && Number.isSafeInteger(tokens) && tokens > 0 ? learn(model, tokens, "asked") : undefined;
    },
  };
}

function servedOf({ receiver, address = "" }: Pick<Model, "receiver" | "address">): ServedModel {
  return { model: receiver.name, address };
}

function keyOf({ model, address }: ServedModel): string {
  return `${model} ${address}`;
}
