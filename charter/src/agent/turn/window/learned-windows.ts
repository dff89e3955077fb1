import type { Model } from "../../../delivery/model.ts";
import type { Store } from "../../../store/store.ts";
import type { LearnedWindow, ServedModel, WindowSource } from "../../../store/windows.ts";

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
