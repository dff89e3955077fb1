import type { Fault, Model } from "../../delivery/model.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { LearnedWindow, ServedModel, WindowSource } from "../../store/windows.ts";

/** The most tokens a request may have, and how that is known: it was "set", is "known" of the model, or was learned. */
export type ResolvedWindow =
  | { readonly window: number; readonly how: "set" | "known" | WindowSource }
  | { readonly window: null; readonly how: "unknown" };

type WindowDeps = {
  readonly model: Model;
  readonly windows: LearnedWindows;
  readonly asked: { readonly window?: number | undefined };
  readonly clock: () => Date;
};

/** Of a model that is only looked at: its name and where it is served are enough. */
type KeptWindowDeps = {
  readonly model: Pick<Model, "receiver" | "address">;
  readonly windows: Pick<LearnedWindows, "get">;
  readonly asked: WindowDeps["asked"];
};

/** What a server told holds so long; then it is asked again. */
const askedHoldsMs = 24 * 60 * 60 * 1000;

/** The least an agent can be given; and less than this is taken from no fault. */
export const leastWindow = 1000;
const leastSaid = 256;

/**
 * The window a turn works with: what was set; what is known of the model, unless it refused less where it is served;
 * what was learned of it there; what its server tells when it is asked. Else it is unknown: there is no limit until a
 * fault teaches one.
 */
export async function resolveWindow(deps: WindowDeps, signal: AbortSignal): Promise<ResolvedWindow> {
  const { resolved, since } = await look(deps);
  const isTold = resolved.how === "asked" && deps.clock().getTime() - Date.parse(since) <= askedHoldsMs;
  if (isTold || (resolved.how !== "asked" && resolved.how !== "unknown")) return resolved;
  const told = await deps.windows.ask(deps.model, signal);
  return told ? { window: told.tokens, how: told.how } : resolved;
}

/** The same, as far as it is known without asking anybody: for what only looks at an agent. */
export async function keptWindow(deps: KeptWindowDeps): Promise<ResolvedWindow> {
  return (await look(deps)).resolved;
}

/** What is known, and since when where that was learned. */
async function look({ model, windows, asked }: KeptWindowDeps) {
  const found = (resolved: ResolvedWindow, since = "") => ({ resolved, since });
  const { window: known, keepsHistory } = model.receiver;
  if (asked.window !== undefined) return found({ window: asked.window, how: "set" });
  const learned = keepsHistory ? undefined : await windows.get(model);
  if (known !== null && !(learned && learned.how !== "asked" && learned.tokens < known))
    return found({ window: known, how: "known" });
  return learned
    ? found({ window: learned.tokens, how: learned.how }, learned.at)
    : found({ window: null, how: "unknown" });
}

/**
 * Keeps what a fault says of the window, and returns the window for the rest of the turn. `refused` is what we count in
 * the request: what is returned is less, also where the provider counts otherwise.
 */
export async function learnWindow(deps: WindowDeps, fault: Fault, refused: number): Promise<ResolvedWindow> {
  const said = fault.tooLong?.window;
  const guess = Math.floor(refused * 0.9);
  if (!fault.tooLong) return keptWindow(deps);
  const isNamed = said !== undefined && said >= leastSaid;
  // A request so short is refused for another reason, whatever is said of it.
  if (!isNamed && guess < leastWindow) return keptWindow(deps);
  const learned = await deps.windows.learn(deps.model, isNamed ? said : guess, isNamed ? "said" : "guessed");
  return { window: Math.max(1, Math.min(learned.tokens, guess)), how: learned.how };
}

/** A request of so many tokens was answered: if only a guess was less, it is raised. */
export async function confirmWindow(deps: WindowDeps, tokens: number | null): Promise<void> {
  if (tokens === null || deps.model.receiver.keepsHistory) return;
  const learned = await deps.windows.get(deps.model);
  if (learned?.how === "guessed" && learned.tokens < tokens) await deps.windows.raise(deps.model, tokens);
}

/** Can it be set as a window: a whole number of tokens that an agent can do with? */
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

/** What is learned of a model's window, as this process knows it. The store has the same; this spares reading it every turn. */
export type LearnedWindows = {
  readonly get: (model: Pick<Model, "receiver" | "address">) => Promise<LearnedWindow | undefined>;
  readonly learn: (model: Model, tokens: number, how: WindowSource) => Promise<LearnedWindow>;
  readonly raise: (model: Model, tokens: number) => Promise<void>;
  /** Asks the server, unless it was asked a moment ago; keeps what it tells. */
  readonly ask: (model: Model, signal: AbortSignal) => Promise<LearnedWindow | undefined>;
};

/** What another process has learned is known here after this time; a server that tells nothing is left alone so long. */
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
