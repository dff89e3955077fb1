import { Problem } from "../../prompt/problem.ts";
import type { KeyConfig } from "../../sources/core-memory/key-source.ts";
import type { AgentRecord } from "../../store/agents.ts";
import { configFileIn, readConfigFile } from "../serve/config-file.ts";

type Keys = Readonly<Record<string, KeyConfig>>;

const why = {
  untrusted: "the project is not trusted",
  new: "it was not there when the project was trusted",
  changed: "it is not what it was when it was trusted: it changed, or a file that it names",
};

/**
 * Where the keys of an agent with a core memory are: `keys` of the configuration file that lies here, or was named. The
 * file is code. It is run for such an agent alone, and only if it was named or is trusted: one may have come with the
 * directory.
 */
export async function keysFor(
  agents: readonly Pick<AgentRecord, "name" | "settings">[],
  named?: string,
): Promise<Keys | undefined> {
  const remembering = agents.find(({ settings }) => settings.memory !== undefined && settings.memory !== null);
  if (!remembering) return undefined;
  const path = named ?? configFileIn(".");
  if (path === undefined) return undefined;
  if (named === undefined) await checkTrust(path, remembering.name);
  return (await readConfigFile(path)).keys;
}

async function checkTrust(path: string, agent: string): Promise<void> {
  const [{ placesOf }, { charterTrustOf }] = await Promise.all([
    import("./directory.ts"),
    import("../../sources/trust/trust.ts"),
  ]);
  const trust = charterTrustOf(path, placesOf({}));
  if (trust === "trusted") return;
  throw new Problem(
    "config-untrusted",
    `${path} says where the key of “${agent}” is. It is code, and is not run: ${why[trust]}.`,
    "Look at the file, then say charter trust.",
  );
}
