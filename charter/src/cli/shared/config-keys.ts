import { type CoreMemories, createCoreMemories } from "../../host/core-memory.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Config } from "../../server/config.ts";
import type { KeyConfigs } from "../../sources/core-memory/key-source.ts";
import type { Store } from "../../store/store.ts";
import { environmentHere, settingsHere } from "./trust/directory-settings.ts";

/**
 * Where keys are: `keys` of the settings that lie here. The configuration file is code. It is run only if it is trusted:
 * it may have come with the directory.
 */
export async function keysHere(): Promise<KeyConfigs | undefined> {
  return (await settingsHere("where keys are"))?.keys;
}

/** How agents over ACP are started: `acp` of those settings. */
export async function acpHere(): Promise<Config["acp"]> {
  return (await settingsHere("how agents are started"))?.acp;
}

/** How MCP servers are reached: `mcp` of those settings. */
export async function mcpHere(): Promise<Config["mcp"]> {
  return (await settingsHere("how MCP servers are reached"))?.mcp;
}

/**
 * Models of one's own, and which is the usual one: `models`, `model` and `window` of those settings. Those that are not
 * trusted say nothing: whoever would ask a model is told so before (`environmentForModels`).
 */
export async function modelsHere(): Promise<Pick<Config, "models" | "model" | "window" | "limits" | "memory">> {
  try {
    return (await settingsHere("which models there are")) ?? {};
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "config-untrusted") throw error;
    return {};
  }
}

/**
 * Where the server here is reached, unless the environment says it: `url` and `port` of those settings. An address in
 * those that are not trusted would get what signs someone in: it is not used, and that is said.
 */
export async function addressHere(): Promise<string> {
  const env = await environmentHere();
  if (env.CHARTER_URL) return env.CHARTER_URL;
  const { url, port } = (await settingsHere("where the server is").catch(sayUntrusted)) ?? {};
  return url ?? `http://127.0.0.1:${env.CHARTER_PORT || (port ?? 4747)}`;
}

function sayUntrusted(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== "config-untrusted") throw error;
  process.stderr.write(`notice: ${error.code}: ${error.message} ${error.hint}\n`);
}

const memories = new WeakMap<Store, CoreMemories>();

/** The same ones as long as the store is open: a key is read once, and words that did not change are the same object. */
export async function memoriesIn(store: Store): Promise<CoreMemories> {
  const known = memories.get(store) ?? createCoreMemories({ store, keys: keysHere, env: await environmentHere() });
  memories.set(store, known);
  return known;
}
