import { type CoreMemories, createCoreMemories } from "../../host/core-memory.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Config } from "../../server/config.ts";
import type { KeyConfigs } from "../../sources/core-memory/key-source.ts";
import type { Store } from "../../store/store.ts";
import { configFileIn, readConfigFile } from "../config/config-file.ts";

const why = {
  untrusted: "the project is not trusted",
  new: "it was not there when the project was trusted",
  changed: "it is not what it was when it was trusted: it changed, or a file that it names",
};

/**
 * Where keys are: `keys` of the configuration file that lies here. The file is code. It is run when a core memory is
 * read or written, or an agent over ACP is asked, for nothing else, and only if it is trusted: it may have come with the
 * directory.
 */
export async function keysHere(): Promise<KeyConfigs | undefined> {
  return (await trustedConfig("says where keys are"))?.keys;
}

/** How agents over ACP are started: `acp` of that file. */
export async function acpHere(): Promise<Config["acp"]> {
  return (await trustedConfig("says how agents are started"))?.acp;
}

async function trustedConfig(says: string): Promise<Config | undefined> {
  const path = configFileIn(".");
  if (path === undefined) return undefined;
  const [{ placesOf }, { charterTrustOf }] = await Promise.all([
    import("./directory.ts"),
    import("../../sources/trust/trust.ts"),
  ]);
  const trust = charterTrustOf(path, placesOf({}));
  if (trust === "trusted") return readConfigFile(path);
  throw new Problem(
    "config-untrusted",
    `${path} ${says}. It is code, and is not run: ${why[trust]}.`,
    "Look at the file, then say charter trust.",
  );
}

const memories = new WeakMap<Store, CoreMemories>();

/** The same ones as long as the store is open: a key is read once, and words that did not change are the same object. */
export function memoriesIn(store: Store): CoreMemories {
  const known = memories.get(store) ?? createCoreMemories({ store, keys: keysHere, env: process.env });
  memories.set(store, known);
  return known;
}
