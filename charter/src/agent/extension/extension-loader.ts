import type { Extensions } from "./extensions.ts";

/** Loads extensions, one load at a time; a call during a load waits for it and gets the new extensions. */
export type ExtensionLoader = {
  /** Loads them when nobody has yet. A load that failed is tried again. */
  readonly ready: () => Promise<Extensions>;
  /** Closes the old ones and loads them again. Two calls at once reload once. */
  readonly reload: () => Promise<void>;
  /** Returns the loaded extensions, if any. */
  readonly current: () => Extensions | undefined;
  /** Tells whether anybody has asked for them. */
  readonly hasStarted: () => boolean;
  readonly close: () => void;
};

export function createExtensionLoader(load: (reason: "startup" | "reload") => Promise<Extensions>): ExtensionLoader {
  let current: Promise<Extensions> | undefined;
  let latest: Extensions | undefined;
  let reloading: Promise<void> | undefined;
  let closed = false;

  const begin = async (reason: "startup" | "reload"): Promise<Extensions> => {
    try {
      const loaded = await load(reason);
      if (closed) loaded.close();
      latest = loaded;
      return loaded;
    } catch (error) {
      current = undefined;
      throw error;
    }
  };
  const again = async (): Promise<void> => {
    await current?.catch(() => {});
    latest?.close();
    latest = undefined;
    current = begin("reload");
    await current;
  };
  return {
    ready: async () => {
      await reloading?.catch(() => {});
      current ??= begin("startup");
      return current;
    },
    reload: () => {
      reloading ??= again().finally(() => {
        reloading = undefined;
      });
      return reloading;
    },
    current: () => latest,
    hasStarted: () => current !== undefined,
    close: () => {
      closed = true;
      latest?.close();
    },
  };
}
