import type { AcpAgents } from "../../delivery/acp/acp-agents.ts";
import type { AcpEntry } from "../../delivery/acp/entry.ts";
import type { Model } from "../../delivery/model.ts";
import { entryNamed, findModel, type ModelSources } from "../../delivery/models/find-model.ts";
import { loadsStandIn, unknownName } from "../../delivery/models/provider.ts";
import { splitModelName } from "../../delivery/receiver.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import type { Notice } from "../../prompt/reading.ts";
import type { KeyConfigs } from "../../sources/core-memory/key-source.ts";
import { userHome } from "../../sources/disk/disk.ts";
import type { UserSelector } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { HostKeys } from "../core-memory.ts";

/** Hint on where models are configured, for errors about unknown names. */
export const modelPlace =
  "Set a provider's key in the environment or in .env; describe models of your own in models.json, or under “models” in charter.config.ts (docs/models.md). Then restart the server.";

/** Sources of model names. */
export type ModelNameSources = ModelSources & {
  /** Models that are agents over ACP, each named `acp/<name>`. */
  readonly acp: () => Promise<readonly string[]>;
  /** Loader of the program's own, which may know any name that is not in the table. */
  readonly load?: (name: string) => Promise<unknown>;
};

/** Refuses a name that nothing here knows. A missing key is no reason to refuse: it may be set later. */
export async function checkModelName(name: string, { acp, load, ...sources }: ModelNameSources): Promise<void> {
  try {
    if (isAcpName(name)) {
      const names = await acp();
      if (!names.includes(name))
        throw unknownAgent(
          name,
          names.map((one) => splitModelName(one).model),
        );
    } else if (entryNamed(name, sources.models) !== undefined) return;
    else if (load) await load(name);
    else if (!loadsStandIn(name) && !findModel(name, sources)) throw unknownName(name, sources);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "unknown-model") return;
    throw new Problem(error.code, error.message, `${error.hint} ${modelPlace}`);
  }
}

/** Notice in the prompt of an agent whose model cannot be asked: its turns are refused, but the prompt can be seen. */
export function modelNotice({ code, message, hint }: Pick<Problem, "code" | "message" | "hint">): Notice {
  const why = code === "unknown-model" ? "while its model cannot be found" : "while its model cannot be asked";
  return { code, message: `It takes no turns ${why}. ${message} ${hint}` };
}

/** Names of models in the order they are asked: a list, or one text with commas. */
type ModelNames = string | readonly string[];

/** Parses a list of names, each allowed once. An agent over ACP can only be the first: it could not take over within a turn. */
export function modelNames(given: ModelNames | null | undefined): readonly string[] {
  const all = typeof given === "string" ? given.split(",") : (given ?? []);
  const names = all.map((name) => name.trim()).filter((name) => name !== "");
  const again = names.find((name, index) => names.indexOf(name) !== index);
  if (again !== undefined) throw new Problem("bad-model", `“${again}” is named twice.`, "Name each model once.");
  const late = names.slice(1).find((name) => splitModelName(name).provider === "acp");
  if (late === undefined) return names;
  throw new Problem(
    "bad-model",
    `“${late}” is an agent over ACP, and comes after another model.`,
    "Put it first: it keeps the conversation itself, and cannot take over in the midst of a turn.",
  );
}

/** Splits models into the fields of an agent: the model and its fallbacks. */
export function modelFields(given: ModelNames | null): { readonly model: string | null; readonly fallbacks: string[] } {
  const [model = null, ...fallbacks] = modelNames(given);
  return { model, fallbacks };
}

export function areModelNames(value: unknown): boolean {
  const list = typeof value === "string" ? [value] : value;
  return Array.isArray(list) && list.length > 0 && list.every((name) => typeof name === "string" && name.trim() !== "");
}

const { existsSync } = process.getBuiltinModule("node:fs");
const { join, resolve } = process.getBuiltinModule("node:path");

/** Agents over ACP, by name; or a function that returns them, called when one is first needed. */
export type HostAcp =
  | Readonly<Record<string, AcpEntry>>
  | (() => Promise<Readonly<Record<string, AcpEntry>> | undefined>);

/** Options for agents over ACP. */
type AcpModelsOptions = {
  readonly store: Pick<Store, "home">;
  readonly acp?: HostAcp | undefined;
  readonly acpHome?: string | undefined;
  readonly keys?: HostKeys | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
};

/** Agents over ACP as models. Nothing is loaded or started before it is needed. */
export type AcpModels = {
  /** Checks whether a model's name is that of an agent over ACP. */
  readonly isAcp: (model: string) => boolean;
  readonly load: (model: string) => Promise<Model>;
  /** Names of these models: `acp/<name>` of each configured agent. */
  readonly names: () => Promise<readonly string[]>;
  /** Tells whether a service may use it for its users' turns. */
  readonly isServed: (model: string) => Promise<boolean>;
  /** Directories that such agents have for a user. */
  readonly directoriesOf: (who: UserSelector) => Promise<readonly string[]>;
  /** Ends a user's processes here, and removes their directories. */
  readonly erase: (who: UserSelector) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

/**
 * Makes models of agents over ACP, for `createAgent`: `await createAcpModels({ store, acp }).load("acp/claude")`. A host does
 * this itself.
 */
export function createAcpModels(options: AcpModelsOptions): AcpModels {
  let entries: Promise<Readonly<Record<string, AcpEntry>>> | undefined;
  let agents: Promise<AcpAgents> | undefined;
  const entriesOf = () => {
    entries ??= Promise.resolve(typeof options.acp === "function" ? options.acp() : options.acp).then(
      (found) => found ?? {},
    );
    entries.catch(() => {
      entries = undefined;
    });
    return entries;
  };
  const open = async () => {
    const { createAcpAgents } = await import("../../delivery/acp/acp-agents.ts");
    const { store, keys, env = process.env, acpHome } = options;
    return createAcpAgents({
      entries: await entriesOf(),
      home: acpHome ?? usualHome() ?? noHome(),
      ours: oursIn(store, typeof keys === "function" ? await keys().catch(() => undefined) : keys),
      env,
    });
  };
  const entryOf = async (model: string) => {
    const { model: name } = splitModelName(model);
    const known = await entriesOf();
    const entry = Object.hasOwn(known, name) ? known[name] : undefined;
    if (entry) return entry;
    throw unknownAgent(model, Object.keys(known));
  };
  const directoriesOf: AcpModels["directoriesOf"] = async (who) => {
    const home = options.acpHome ?? usualHome();
    if (home === undefined || !existsSync(home)) return [];
    const { findUserDirectories } = await import("../../delivery/acp/acp-agents.ts");
    return findUserDirectories(home, who, sha256);
  };
  return {
    isAcp: isAcpName,
    load: async (model) => {
      await entryOf(model);
      agents ??= open();
      agents.catch(() => {
        agents = undefined;
      });
      return (await agents).model(splitModelName(model).model);
    },
    names: async () => Object.keys(await entriesOf()).map((name) => `acp/${name}`),
    isServed: async (model) => (await entryOf(model)).served === true,
    directoriesOf,
    erase: async (who) => {
      const directories = await directoriesOf(who);
      await (await agents?.catch(() => undefined))?.endIn(directories);
      const { removeDirectory } = await import("../../delivery/acp/acp-agents.ts");
      for (const path of directories) removeDirectory(path);
      return directories;
    },
    close: async () => {
      await (await agents?.catch(() => undefined))?.close();
    },
  };
}

function isAcpName(model: string): boolean {
  return splitModelName(model).provider === "acp";
}

/** Error for an agent that is not configured. `names` are those that are. */
export function unknownAgent(model: string, names: readonly string[]): Problem {
  const { model: name } = splitModelName(model);
  return new Problem(
    "unknown-model",
    `There is no agent “${name}” for the model “${model}”.`,
    names.length === 0
      ? `Describe it in charter.config.ts: acp: { ${keyOf(name || "claude")}: { command: ["claude-agent-acp"] } }.`
      : `The agents in charter.config.ts are ${listed(names)}.`,
  );
}

/** A name as a key in an object literal. */
function keyOf(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
}

/** Error for a service asked to take turns with such an agent. */
export function notServed(agent: string, model: string): Problem {
  const { model: name } = splitModelName(model);
  return new Problem(
    "not-served",
    `“${agent}” does not run on a server: the tools of “${model}” run with the server's rights.`,
    `Run charter chat --agent ${agent}; or set served: true for acp.${name} in charter.config.ts, if its users may use them.`,
  );
}

/** Paths an external agent must not find in its directory: the database, the configuration and the keys. */
function oursIn({ home }: Pick<Store, "home">, keys: KeyConfigs | undefined): string[] {
  const database = home.place.includes("://") ? [] : [home.place];
  const config = ["ts", "js", "mjs"].map((type) => `charter.config.${type}`).filter((name) => existsSync(name));
  const files = Object.values(keys ?? {}).flatMap((key) => ("file" in key ? [key.file] : []));
  return [...database, ...config, ...files].map((path) => resolve(path));
}

function usualHome(): string | undefined {
  const user = userHome();
  return user === undefined ? undefined : join(user, ".charter", "acp");
}

function noHome(): never {
  throw new Problem(
    "usage",
    "There is no home directory, so agents over ACP have no place for their directories.",
    "Set HOME to a directory that this process may write to.",
  );
}
