import { checkNeeded, isFunction, isList } from "../../prompt/argument.ts";
import type { Hook } from "../hook.ts";
import type { Tool } from "../tool.ts";
import { createAddedMessages } from "./added-message.ts";
import { eventHook } from "./event-hook.ts";
import { createExtension, type Extension } from "./extension.ts";
import { extensionApi, extensionContext, unknownTools } from "./extension-api.ts";
import { createExtensionHost } from "./extension-host.ts";
import type { ExtensionFault } from "./fault.ts";
import { loadExtension } from "./load-extension.ts";
import { discoverSkills } from "./skill-paths.ts";
import { turnHooks } from "./turn-hooks.ts";

/** What `loadExtensions` is given: the entry files, the built-in tools, and where faults are reported. */
export type ExtensionsOptions = {
  /** Their entry files, in the order they are loaded. */
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly builtIn: readonly Tool[];
  /**
   * Which built-in tools are active at first: read, bash, edit and write, unless given. Tools of extensions always are.
   */
  readonly active?: readonly string[];
  readonly report: (fault: ExtensionFault) => void;
  /** How long each may take to load; 10 seconds, unless given. */
  readonly loadSeconds?: number;
  readonly now?: () => number;
};

/** The loaded extensions of one agent: their tools, hooks and skills. To reload, load them again and close these. */
export type Extensions = {
  /** The active tools, in a stable order. */
  readonly tools: () => readonly Tool[];
  /** What they listen to, in load order, each named by the extension's file. */
  readonly hooks: readonly Hook[];
  /** Paths of skills they bring, from `resources_discover`. */
  readonly skillPaths: () => readonly string[];
  /** One of them has asked for a reload. */
  readonly wantsReload: () => boolean;
  readonly loaded: readonly {
    readonly path: string;
    readonly tools: readonly string[];
    readonly events: readonly string[];
  }[];
  /** From now on nothing they do has an effect. */
  readonly close: () => void;
};

/** Loads extensions one after the other. A faulty one is reported, and the others are loaded nevertheless. */
export async function loadExtensions(options: ExtensionsOptions, reason: "startup" | "reload"): Promise<Extensions> {
  checkNeeded<ExtensionsOptions>("loadExtensions", options, {
    paths: [isList, "Give the paths of the extensions."],
    report: [isFunction, "Give a function that is told what went wrong."],
  });
  const { paths, cwd, report, loadSeconds: seconds = 10, now = Date.now } = options;
  const host = await createExtensionHost(options);
  const { callContexts, registry, waiting } = host;
  const extensions: Extension[] = [];
  for (const path of paths) {
    const extension = createExtension(path, callContexts, report);
    const api = extensionApi(host, extension);
    extension.ctx = extensionContext(host, extension, api);
    const undo = registry.rollbackPoint();
    const file = process.getBuiltinModule("node:path").resolve(cwd, path);
    const trouble = await loadExtension(extension, file, api, seconds);
    if (trouble === undefined) extensions.push(extension);
    else {
      extension.reportFault(trouble.code, trouble.message);
      extension.closed = true;
      undo();
      waiting.dropAll(path);
    }
  }
  host.loading = false;
  for (const { extension, names } of host.unknownNames.splice(0)) {
    const known = new Set(registry.all().map(({ name }) => name));
    const unknown = names.filter((name) => !known.has(name));
    if (unknown.length > 0 && !extension.closed) extension.reportFault("tools-unknown", unknownTools(host, unknown));
  }
  const skillPaths = await discoverSkills(extensions, { cwd, reason, seconds });
  const { first, last } = turnHooks(callContexts, waiting);
  const hooking = { callContexts, added: createAddedMessages(), now };
  return {
    tools: registry.active,
    get hooks() {
      const own = extensions.flatMap((extension) =>
        extension.handlers.flatMap(({ event, handler }) =>
          event === "resources_discover" ? [] : [eventHook(extension, event, handler, hooking)],
        ),
      );
      return extensions.length === 0 ? [] : [first, ...own, last];
    },
    skillPaths: () => skillPaths,
    wantsReload: () => host.wantsReload,
    get loaded() {
      return extensions.map(({ path, handlers }) => ({
        path,
        tools: registry.ownedBy(path),
        events: [...new Set(handlers.map(({ event }) => event))],
      }));
    },
    close: () => {
      for (const extension of extensions) extension.closed = true;
      waiting.dropAll();
      callContexts.turns.clear();
    },
  };
}
