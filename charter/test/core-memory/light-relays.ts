import { isNewer, type NostrEvent } from "../../src/sources/core-memory/memory-key.ts";
import type { RelayAnswer, RelayClient, RelayTrouble } from "../../src/sources/core-memory/relay.ts";

/**
 * What is the matter with a relay. `cut-late`: it gives what it has, and never finishes. `replaying`: it shows the first
 * event it ever had. `junk`, `strangers`, `spoiled`: something that is no event, another's, the agent's own that nobody
 * can decrypt; `junk-only`: nothing besides. `forgetful` says OK and keeps nothing; `mute` keeps, and never says so; `read-only` takes nothing.
 * `contested`: whenever it is given an event, another's is there a moment earlier; `outdone`: one that is newer.
 */
export const moods = [
  "well",
  "unreachable",
  "late",
  "refused",
  "closed",
  "cut",
  "nonsense",
  "cut-late",
  "replaying",
  "junk",
  "junk-only",
  "strangers",
  "spoiled",
  "forgetful",
  "mute",
  "read-only",
  "contested",
  "outdone",
] as const;
export type Mood = (typeof moods)[number];

export type LightRelay = {
  readonly url: string;
  mood: Mood;
  /** What it has of each author's memory: the newest, as relays keep what can be replaced. */
  kept: Map<string, NostrEvent>;
  /** Everything it ever took, in order. */
  readonly took: NostrEvent[];
};

type Odd = {
  readonly strangers: NostrEvent;
  readonly spoiledOf: (author: string) => NostrEvent | undefined;
  /** What another with the same key writes at the same time. */
  readonly rivalOf: (event: NostrEvent, isNewer?: true) => NostrEvent;
};

const troubles: Partial<Record<Mood, RelayTrouble>> = {
  unreachable: "unreachable",
  late: "late",
  refused: "refused",
  closed: "closed",
  cut: "cut",
  nonsense: "nonsense",
  "cut-late": "late",
};

export const newRelay = (index: number): LightRelay => ({
  url: `wss://relay-${index}.example.org`,
  mood: "well",
  kept: new Map(),
  took: [],
});

/** Relays without a wire: they are asked and told as real ones are, and lie as they are told to. */
export function lightClient(relays: readonly LightRelay[], odd: Odd, pause: () => Promise<void>): RelayClient {
  const relayOf = (url: string) => relays.find((one) => one.url === url) as LightRelay;
  return {
    ask: async (url, filters): Promise<RelayAnswer> => {
      await pause();
      const relay = relayOf(url);
      const events = answerOf(relay, filters[0]?.authors[0] as string, odd);
      const kind = troubles[relay.mood];
      await pause();
      return { relay: url, events, ...(kind && { trouble: { kind, reason: `it is ${kind}` } }) };
    },
    send: async (url, event) => {
      await pause();
      const relay = relayOf(url);
      const { mood } = relay;
      if (mood === "forgetful") return { relay: url, ok: true };
      if (troubles[mood] !== undefined) return { relay: url, ok: false, reason: `it is ${mood}` };
      if (mood === "read-only") return { relay: url, ok: false, reason: "blocked: nobody writes here" };
      if (mood === "contested") keep(relay, odd.rivalOf(event));
      if (mood === "outdone") keep(relay, odd.rivalOf(event, true));
      const taken = keep(relay, event);
      if (mood === "mute") return { relay: url, ok: false, reason: "it did not answer in time" };
      return taken ? { relay: url, ok: true } : { relay: url, ok: false, reason: "replaced: have newer event" };
    },
  };
}

function answerOf({ mood, kept, took }: LightRelay, author: string, odd: Odd): unknown[] {
  if (troubles[mood] !== undefined && mood !== "cut-late") return [];
  const own = kept.get(author);
  const shown = own ? [own] : [];
  if (mood === "replaying") return took.filter(({ pubkey }) => pubkey === author).slice(0, 1);
  if (mood === "junk") return [...shown, { id: "junk" }, null, 7];
  if (mood === "junk-only") return [{ id: "junk" }];
  if (mood === "strangers") return [odd.strangers];
  if (mood === "spoiled") return [odd.spoiledOf(author), ...shown].filter((event) => event !== undefined);
  return shown;
}

/** Whether it stands there now. */
export function keep(relay: LightRelay, event: NostrEvent): boolean {
  const before = relay.kept.get(event.pubkey);
  if (before?.id === event.id) return true;
  if (before && isNewer(before, event)) return false;
  relay.kept.set(event.pubkey, event);
  relay.took.push(event);
  return true;
}
