import type { MemoryPlace } from "../../agent/declaration.ts";
import { Problem } from "../../prompt/problem.ts";
import { relayFault } from "../../sources/core-memory/wire/relay-address.ts";
import { entries, type Fact, field, list, required, text } from "../facts.ts";

const known = ["relays", "owner", "key"];
const maxRelays = 20;
const hint = 'As in { "relays": ["wss://relay.example.org"], "owner": "npub1…", "key": "ada" }: docs/resident.md.';

/**
 * The settings `memory` of a resident. They come over HTTP and in checkpoints, so they hold neither keys nor commands. No
 * value of theirs is in a Problem: it may be a secret at the wrong place.
 */
export function memorySettingsOf(facts: Fact): MemoryPlace | undefined {
  const memory = field(facts, "memory");
  if (memory.value === undefined) return undefined;
  for (const [name, { path }] of entries(memory)) {
    if (known.includes(name)) continue;
    const which = isKeyName(name) ? `The fact “${path}”` : `A field of the fact “${memory.path}”`;
    throw bad(`${which} is none of ${known.join(", ")}: settings hold neither keys nor commands.`);
  }
  return {
    relays: relaysOf(field(memory, "relays")),
    owner: ownerOf(field(memory, "owner")),
    key: keyNameOf(field(memory, "key")),
  };
}

function relaysOf(relays: Fact): readonly string[] {
  const all = list(relays).map((relay) => {
    const fault = relayFault(required(relay, text(relay)));
    if (fault !== undefined) throw bad(`The fact “${relay.path}” ${fault}.`);
    return relay.value as string;
  });
  if (all.length > 0 && all.length <= maxRelays) return all;
  throw bad(`The fact “${relays.path}” names ${all.length} relays, where 1 to ${maxRelays} are needed.`);
}

function ownerOf(owner: Fact): string {
  const given = required(owner, text(owner));
  const fault = ownerFault(given);
  if (fault === undefined) return given;
  throw bad(`The fact “${owner.path}” ${fault}.`);
}

/** What is wrong with an owner's public key, without repeating it. */
export function ownerFault(owner: string): string | undefined {
  if (/nsec1/i.test(owner)) return "is a secret key (nsec), where the owner's public key is needed";
  if (/^npub1[02-9ac-hj-np-z]{58}$/.test(owner) || /^[0-9a-f]{64}$/i.test(owner)) return undefined;
  return "is no public key: npub1 and 58 characters, or 64 characters of hex";
}

function keyNameOf(key: Fact): string {
  const name = required(key, text(key));
  if (isKeyName(name)) return name;
  throw bad(`The fact “${key.path}” ${keyNameFault}.`);
}

/** Names an entry of `keys` may have. A key itself is longer, or says what it is. */
export function isKeyName(name: string): boolean {
  return /^[a-z0-9](?:[a-z0-9_.-]{0,38}[a-z0-9])?$/i.test(name) && !/^nsec1/i.test(name);
}

export const keyNameFault =
  "is no name of a key: letters, digits, “-”, “_” and “.”, at most 40. The key itself is told where charter.config.ts says";

function bad(message: string): Problem {
  return new Problem("bad-facts", message, hint);
}
