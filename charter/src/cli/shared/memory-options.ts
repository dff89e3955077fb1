import type { MemoryPlace } from "../../agent/declaration.ts";
import { factsOf } from "../../charters/facts.ts";
import { isKeyName, keyNameFault, ownerFault } from "../../charters/resident/resident.ts";
import { loadCharter } from "../../host/load.ts";
import { Problem } from "../../prompt/problem.ts";
import { relayFault } from "../../sources/core-memory/wire/relay-address.ts";

/** What says where a resident's core memory is. */
export type MemoryValues = {
  readonly relay?: readonly string[] | undefined;
  readonly owner?: string | undefined;
  readonly key?: string | undefined;
  readonly newKey?: string | undefined;
};

type Agent = { readonly name: string; readonly charter: string; readonly settings: Readonly<Record<string, unknown>> };

/** The agent's settings with what was said of its core memory; what was not said stays as it was. */
export async function withMemory(agent: Agent, values: MemoryValues): Promise<Agent["settings"]> {
  const asked = (["relay", "owner", "key", "newKey"] as const).find((name) => values[name] !== undefined);
  if (asked === undefined) return agent.settings;
  const before = Object(agent.settings.memory) as Partial<MemoryPlace>;
  const { relay: relays = before.relays, owner = before.owner, key = before.key ?? agent.name } = values;
  if (relays === undefined) throw usage("A core memory needs --relay, where it is kept.");
  if (owner === undefined) throw usage("A core memory needs --owner, the public key (npub) of whose agent it is.");
  if (!isKeyName(key)) throw usage(`--key ${keyNameFault}.`);
  for (const [at, relay] of (values.relay ?? []).entries()) {
    const fault = relayFault(relay);
    if (fault !== undefined) throw usage(`--relay ${named(relay) ?? `(number ${at + 1})`} ${fault}.`);
  }
  if (values.owner !== undefined) checkOwner(values.owner);
  const settings = { ...agent.settings, memory: { relays, owner, key } };
  const facts = factsOf({ ...settings, agent: agent.name });
  if ((await (await loadCharter(agent.charter)).given(facts, () => new Date())).memory) return settings;
  throw usage(
    `--${asked === "newKey" ? "new-key" : asked} needs a charter with a core memory: ${agent.charter} has none.`,
  );
}

function checkOwner(owner: string): void {
  const fault = ownerFault(owner);
  if (fault !== undefined) throw usage(`--owner ${fault}.`);
}

/** A word that cannot be used is repeated only where nothing in it may be a secret. */
function named(word: string): string | undefined {
  return /nsec1|[0-9a-f]{64}|@|#/i.test(word) ? undefined : `“${word}”`;
}

function usage(message: string): Problem {
  return new Problem("usage", message, "See charter agents --help, and docs/resident.md.");
}
