import type { AcpAgents } from "../../delivery/acp/acp-agents.ts";
import type { AcpEntry } from "../../delivery/acp/entry.ts";
import type { Model } from "../../delivery/model.ts";
import { splitModelName } from "../../delivery/receiver.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import type { KeyConfigs } from "../../sources/core-memory/key-source.ts";
import { userHome } from "../../sources/user-home.ts";
import type { UserSelector } from "../../store/lifecycle/erase.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { HostKeys } from "../core-memory.ts";

const { existsSync } = process.getBuiltinModule("node:fs");
const { join, resolve } = process.getBuiltinModule("node:path");

/** The agents that are reached over ACP, by name; or a function that says so, which is asked when one is first needed. */
export type HostAcp =
  | Readonly<Record<string, AcpEntry>>
  | (() => Promise<Readonly<Record<string, AcpEntry>> | undefined>);

/** What agents over ACP are made with. */
type AcpModelsOptions = {
  readonly store: Pick<Store, "home">;
  readonly acp?: HostAcp | undefined;
  readonly acpHome?: string | undefined;
  readonly keys?: HostKeys | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
};

/** Agents over ACP as models. Nothing is loaded or started before it is wanted. */
export type AcpModels = {
  /** Whether a model's name is that of an agent over ACP. */
  readonly isAcp: (model: string) => boolean;
  readonly load: (model: string) => Promise<Model>;
  /** The models there are: `acp/<name>` of each agent that is described. */
  readonly names: () => Promise<readonly string[]>;
  /** Whether a service may take turns with it, for users. */
  readonly isServed: (model: string) => Promise<boolean>;
  /** The directories that such agents have for a user. */
  readonly directoriesOf: (who: UserSelector) => Promise<readonly string[]>;
  /** Ends the processes that a user has here, and removes those directories. */
  readonly erase: (who: UserSelector) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

/** Makes models of agents over ACP, for `createAgent`: `await createAcpModels({ store, acp }).load("acp/claude")`. A host does so itself. */
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
    const { findUserDirectories } = await import("../../delivery/acp/directories.ts");
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
      const { removeDirectory } = await import("../../delivery/acp/directories.ts");
      for (const path of directories) removeDirectory(path);
      return directories;
    },
    close: async () => {
      await (await agents?.catch(() => undefined))?.close();
    },
  };
}

export function isAcpName(model: string): boolean {
  return splitModelName(model).provider === "acp";
}

/** That nobody has described an agent. `names`: those who are. */
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

/** A name as it is written in an object. */
function keyOf(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
}

/** Why a service takes no turns with such an agent. */
export function notServed(agent: string, model: string): Problem {
  const { model: name } = splitModelName(model);
  return new Problem(
    "not-served",
    `“${agent}” does not run on a server: the tools of “${model}” run with the server's rights.`,
    `Run charter chat --agent ${agent}; or set served: true for acp.${name} in charter.config.ts, if its users may use them.`,
  );
}

/** What an agent of somebody else's must not find in its directory: the database, the configuration, the keys. */
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
