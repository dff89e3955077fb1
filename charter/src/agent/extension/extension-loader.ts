import type { Extensions } from "./extensions.ts";

/** Extensions as they are loaded now. One load at a time; whoever asks meanwhile waits for it and is given the new ones. */
export type ExtensionLoader = {
  /** Loads them when nobody has yet. What could not be loaded is tried again. */
  readonly ready: () => Promise<Extensions>;
  /** The old ones are closed. Asked for twice at once, it is done once. */
  readonly reload: () => Promise<void>;
  /** Those there are, if any. */
  readonly current: () => Extensions | undefined;
  /** Somebody has asked for them. */
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
