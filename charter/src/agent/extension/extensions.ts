import { missingImport } from "../../packages/load-package.ts";
import { checkNeeded, isFunction, isList } from "../../prompt/argument.ts";
import { listed, Problem, reasonOf } from "../../prompt/problem.ts";
import type { Hook, HookContext } from "../hook.ts";
import { withTimeout } from "../limits.ts";
import type { Tool } from "../tool.ts";
import { eventHook } from "./event-hook.ts";
import {
  type CallContexts,
  contentOf,
  createAddedMessages,
  createExtension,
  type EventName,
  type Extension,
  type ExtensionFault,
  eventNames,
  type FaultCode,
  type Handler,
  sentence,
  toldContent,
} from "./extension.ts";
import { anyone, createExtensionHost, type ExtensionHost, type WaitingMessages } from "./extension-host.ts";
import { importFresh, moduleFile, withUnsupported } from "./module-load.ts";

/** Options of `loadExtensions`: the entry files, the built-in tools, and where faults are reported. */
export type ExtensionsOptions = {
  /** Paths of the entry files, in the order they are loaded. */
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly builtIn: readonly Tool[];
  /**
   * Names of the built-in tools that are active at first: read, bash, edit and write, unless given. Tools of extensions always
   * are.
   */
  readonly active?: readonly string[];
  readonly report: (fault: ExtensionFault) => void;
  /** Maximum number of seconds each may take to load; 10, unless given. */
  readonly loadSeconds?: number;
  readonly now?: () => number;
};

/** The loaded extensions of one agent: their tools, hooks and skills. To reload, load them again and close these. */
export type Extensions = {
  /** Returns the active tools, in a stable order. */
  readonly tools: () => readonly Tool[];
  /** Hooks for the events they listen to, in load order, each named by the extension's file. */
  readonly hooks: readonly Hook[];
  /** Returns paths of skills they bring, from `resources_discover`. */
  readonly skillPaths: () => readonly string[];
  /** Tells whether one of them has asked for a reload. */
  readonly wantsReload: () => boolean;
  readonly loaded: readonly {
    readonly path: string;
    readonly tools: readonly string[];
    readonly events: readonly string[];
  }[];
  /** Closes them: from now on nothing they do has an effect. */
  readonly close: () => void;
};

/** Loads extensions one after the other. A faulty one is reported, and the others are loaded nevertheless. */
export async function loadExtensions(options: ExtensionsOptions, reason: "startup" | "reload"): Promise<Extensions> {
  checkNeeded<ExtensionsOptions>("loadExtensions", options, {
    paths: [isList, "Give the paths of the extensions."],
    report: [isFunction, "Give a function that is told what went wrong."],
  });
  const { paths, cwd, report, loadSeconds = 10, now = Date.now } = options;
  const host = await createExtensionHost(options);
  const { callContexts, registry, waiting } = host;
  const extensions: Extension[] = [];
  for (const path of paths) {
    const extension = createExtension(path, callContexts, report);
    const api = extensionApi(host, extension);
    extension.ctx = extensionContext(host, extension, api);
    const undo = registry.rollbackPoint();
    const file = process.getBuiltinModule("node:path").resolve(cwd, path);
    const trouble = await loadExtension(extension, file, api, loadSeconds);
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
  const skillPaths = await discoverSkills(extensions, { cwd, reason, seconds: loadSeconds });
  const { first, last } = turnHooks(callContexts, waiting);
  const hookOptions = { callContexts, added: createAddedMessages(), now };
  return {
    tools: registry.active,
    get hooks() {
      const own = extensions.flatMap((extension) =>
        extension.handlers.flatMap(({ event, handler }) =>
          event === "resources_discover" ? [] : [eventHook(extension, event, handler, hookOptions)],
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

/**
 * Makes the hooks around those of extensions: the first opens the turn and hands over the messages that waited for it, the last
 * reads the final prompt and closes the turn.
 */
function turnHooks({ turns }: CallContexts, waiting: WaitingMessages): { readonly first: Hook; readonly last: Hook } {
  const giveNotices = (turn: string, { notice }: HookContext) => {
    for (const one of turns.get(turn)?.notices.splice(0) ?? []) notice(one);
  };
  const name = "extensions";
  return {
    first: {
      name,
      "before-turn": ({ turn, user, prompt }) => {
        const added = [...waiting.drain(user)];
        turns.set(turn, { user, prompt, added, notices: [], details: new Map() });
        return added.length === 0 ? undefined : { message: added.map(({ text }) => text).join("\n\n") };
      },
      "after-tool": ({ turn }, context) => giveNotices(turn, context),
    },
    last: {
      name,
      "before-turn": ({ turn, prompt }) => {
        const open = turns.get(turn);
        if (open) open.prompt = prompt;
      },
      "after-turn": ({ turn }, context) => {
        giveNotices(turn, context);
        turns.delete(turn);
      },
    },
  };
}

type DiscoverSkillsOptions = {
  readonly cwd: string;
  readonly reason: "startup" | "reload";
  readonly seconds: number;
};

/** Asks every extension for skills it brings: absolute paths of their files or directories. */
async function discoverSkills(extensions: readonly Extension[], discovery: DiscoverSkillsOptions): Promise<string[]> {
  const paths: string[] = [];
  for (const extension of extensions)
    for (const { event, handler } of [...extension.handlers])
      if (event === "resources_discover") paths.push(...(await askHandler(extension, handler, discovery)));
  return [...new Set(paths)];
}

const noAnswer = Symbol("nothing");

async function askHandler(
  { reportFault, ctx, run }: Extension,
  handler: (event: never, ctx: object) => unknown,
  { cwd, reason, seconds }: DiscoverSkillsOptions,
): Promise<string[]> {
  const failed = (because: string) => {
    reportFault("handler-failed", sentence(`failed at resources_discover: ${because}`));
    return noAnswer;
  };
  const ask = async () => run(() => handler({ type: "resources_discover", cwd, reason } as never, ctx));
  const onTimeout = (): unknown => failed(`it did not answer in ${seconds} s`);
  const answer = await withTimeout(seconds * 1000, ask(), onTimeout).catch((error) =>
    failed(`it threw: ${reasonOf(error)}`),
  );
  if (answer === noAnswer || answer === undefined || answer === null || answer === false) return [];
  const { skillPaths = [], promptPaths = [], themePaths = [] } = Object(answer) as Record<string, unknown>;
  const lists = { skillPaths, promptPaths, themePaths };
  const invalid = Object.entries(lists).filter(([, list]) => !isListOfTexts(list));
  if (typeof answer !== "object" || invalid.length > 0) {
    const what =
      typeof answer === "object"
        ? `${listed(invalid.map(([name]) => name))} is no list of texts`
        : `it answered ${typeof answer}`;
    failed(what);
    return [];
  }
  if ((promptPaths as string[]).length > 0) reportFault("beyond", "brings “promptPaths”, which are not here.");
  if ((themePaths as string[]).length > 0) reportFault("beyond", "brings “themePaths”, which are not here.");
  return (skillPaths as string[]).map((path) => absolute(cwd, path));
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function absolute(cwd: string, path: string): string {
  const { resolve } = process.getBuiltinModule("node:path");
  const home = process.getBuiltinModule("node:os").homedir();
  return resolve(cwd, /^~(?=\/|$)/.test(path) ? home + path.slice(1) : path);
}

type LoadFault = { readonly code: FaultCode; readonly message: string };

/** Imports an extension and lets it set itself up; returns why it could not, if so. */
async function loadExtension(
  extension: Extension,
  path: string,
  api: object,
  seconds: number,
): Promise<LoadFault | undefined> {
  const onTimeout = (): LoadFault => ({ code: "load-time", message: `was not loaded within ${seconds} s.` });
  return withTimeout(
    seconds * 1000,
    extension.run(() => load(extension, path, api)),
    onTimeout,
  );
}

async function load({ reportFault }: Extension, path: string, api: object): Promise<LoadFault | undefined> {
  let factory: unknown;
  try {
    const file = moduleFile(path);
    if (file === undefined) return { code: "load-failed", message: "cannot be loaded: there is no such file." };
    const missing = (name: string) => reportFault("beyond", `asks for “${name}”, which is not here.`);
    const { default: exported } = Object(await importFresh(file, missing)) as { default?: unknown };
    factory = typeof exported === "function" ? exported : (Object(exported) as { default?: unknown }).default;
  } catch (error) {
    const missing = missingImport(error);
    if (missing !== undefined)
      return {
        code: "load-failed",
        message: `cannot be loaded: it needs the package “${missing}”, which is not installed: npm install ${missing}.`,
      };
    if (error instanceof Problem)
      return { code: "load-failed", message: `cannot be loaded: ${error.message} ${error.hint}` };
    return { code: "load-failed", message: `cannot be loaded: ${whatAndWhere(error, path)}.` };
  }
  if (typeof factory !== "function")
    return { code: "no-default", message: "has no function as its default export: export default (api) => { … }." };
  try {
    await factory(api);
    return undefined;
  } catch (error) {
    return { code: "load-failed", message: `threw while it was loaded: ${whatAndWhere(error, path)}.` };
  }
}

/**
 * Says what went wrong and in which line, with the file's name where it is another file. Addresses are shown without the load's
 * number.
 */
function whatAndWhere(error: unknown, path: string): string {
  const stack = error instanceof Error ? String(error.stack) : "";
  const reason = reasonOf(error)
    .replace(/(?:\?|%3F)charter-extension=[\d-]+/g, "")
    .trim()
    .replace(/\.$/, "");
  const [, file, line] =
    /([^/\n]+?)(?:\?|%3F)charter-extension=[\d-]+:(\d+)/.exec(stack) ?? /^\/.*?([^/\n]+):(\d+)\n/.exec(stack) ?? [];
  if (file === undefined) return reason;
  const { basename } = process.getBuiltinModule("node:path");
  const { pathToFileURL } = process.getBuiltinModule("node:url");
  const own = [path, pathToFileURL(path).href].some((one) => basename(one) === file);
  return `${reason} (${own ? "" : `${file}, `}line ${line})`;
}

/**
 * Makes the object that an extension is called with. What pi has and Charter has not is reported by name when it is used, and
 * does nothing.
 */
function extensionApi(host: ExtensionHost, extension: Extension): object {
  const { registry, waiting, callContexts } = host;
  const { reportFault } = extension;
  const api = {
    on: (event: unknown, handler: unknown) => {
      if (extension.closed) return;
      if (typeof event !== "string" || typeof handler !== "function")
        reportFault("bad-call", "calls on() without the name of an event and a function.");
      else if (isEvent(event)) extension.handlers.push({ event, handler: handler as Handler });
      else reportFault("beyond", `listens to “${event}”, an event that is not here.`);
    },
    registerTool: (definition: unknown) => {
      if (!extension.closed) host.register(extension, definition);
    },
    getActiveTools: () => registry.active().map(({ name }) => name),
    getAllTools: () => registry.all().map(({ name }) => host.toolInfo(name)),
    setActiveTools: (names: unknown) => {
      if (extension.closed) return;
      if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
        reportFault("bad-call", "calls setActiveTools() with something that is no list of names.");
        return;
      }
      const { unknown, changed } = registry.setActive(names);
      if (unknown.length > 0 && host.loading) host.unknownNames.push({ extension, names: unknown });
      else if (unknown.length > 0) reportFault("tools-unknown", unknownTools(host, unknown));
      if (changed) host.tellChange(extension);
    },
    sendMessage: (message: unknown, options: unknown) => {
      if (extension.closed) return;
      const { content: given, customType } = Object(message) as { content?: unknown; customType?: unknown };
      const content = contentOf(given);
      if (content === undefined) {
        reportFault("bad-call", "calls sendMessage() with a message without content.");
        return;
      }
      const { triggerTurn, deliverAs } = Object(options) as { triggerTurn?: unknown; deliverAs?: unknown };
      if (triggerTurn === true) reportFault("beyond", unsupportedOption("triggerTurn"));
      if (deliverAs !== undefined && deliverAs !== "nextTurn")
        reportFault("beyond", unsupportedOption(`deliverAs: ${deliverAs}`));
      const text = toldContent(content);
      const at = callContexts.current();
      if (text.trim() === "") return;
      const full = waiting.add({
        owner: extension.path,
        user: at === undefined ? anyone : at.user,
        customType: String(customType),
        text,
      });
      if (full !== undefined) reportFault("messages-full", `sent a message that is not kept: ${full}.`);
    },
    reload: () => {
      if (extension.closed) return;
      if (host.loading) reportFault("bad-call", "asks for a reload while it is loaded.");
      else host.wantsReload = true;
    },
  };
  return withUnsupported(api, "", (name) => reportFault("beyond", `asks for “${name}”, which is not here.`));
}

/** Makes the context object that handlers and tools are given. */
function extensionContext(host: ExtensionHost, extension: Extension, api: object): object {
  const { callContexts } = host;
  const { reportFault } = extension;
  const ask = (name: string) => reportFault("beyond", `asks for “${name}”, which is not here.`);
  const ctx = {
    cwd: host.cwd,
    hasUI: false,
    isIdle: () => callContexts.turns.size === 0,
    getSystemPrompt: () => {
      const at = callContexts.current();
      return (at && callContexts.turns.get(at.turn)?.prompt) ?? "";
    },
    reload: async () => (api as { reload: () => void }).reload(),
    // Extensions read it without calling it, since in pi it may be missing.
    get model() {
      ask("ctx.model");
      return undefined;
    },
  };
  return withUnsupported(ctx, "ctx.", ask);
}

function unknownTools({ registry }: ExtensionHost, names: readonly string[]): string {
  return `sets tools active that nobody knows: ${listed(names)}. The tools are ${listed(registry.all().map(({ name }) => name))}.`;
}

function unsupportedOption(option: string): string {
  return `sends a message with “${option}”, which is not here: it goes with the next turn.`;
}

function isEvent(event: string): event is EventName {
  return (eventNames as readonly string[]).includes(event);
}

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
