import type { CoreReport } from "./use-core.ts";

export type Relay = CoreReport["relays"][number];

const says: Readonly<Record<Relay["status"], string>> = {
  newest: "has it",
  behind: "has an older one",
  nothing: "has none",
  unusable: "has none that can be used",
  unreachable: "cannot be reached",
  late: "did not answer in time",
  refused: "refused to answer",
  closed: "closed the connection",
  cut: "gave only a part of its answer",
  nonsense: "gave an answer that cannot be read",
};

/**
 * How a relay does, in a few words: what it has, and how old that is beside the newest. Where something still waits to be
 * published, the newest there is not what is in the prompt.
 */
export function relayWords({ status, lagSeconds }: Pick<Relay, "status" | "lagSeconds">, waiting = false): string {
  if (waiting && status === "newest") return "has the newest one that is published";
  const lag = status === "behind" && lagSeconds !== null ? `, ${lagWords(lagSeconds)}` : "";
  return says[status] + lag;
}

const tones = { newest: "good", nothing: "plain", behind: "wait" } as const;

/** Whether something is to be worried about. */
export function relayTone({ status }: Pick<Relay, "status">, waiting = false): "good" | "plain" | "wait" | "bad" {
  if (waiting && status === "newest") return "plain";
  return status in tones ? tones[status as keyof typeof tones] : "bad";
}

const units: readonly (readonly [seconds: number, word: string])[] = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
];

/** How far behind, in the largest unit that fits. Two of the same second are in the order of their ids. */
function lagWords(seconds: number): string {
  const [size, word] = units.find(([one]) => seconds >= one) ?? [];
  if (size === undefined) return "of the same second";
  const many = Math.floor(seconds / size);
  return `${many} ${word}${many === 1 ? "" : "s"} behind`;
}

/** “both its relays”, “2 of its 3 relays”, “its one relay”. */
export function relaysThat(many: number, of: number): string {
  if (many === 0) return of === 1 ? "not even its one relay" : `none of its ${of} relays`;
  if (many < of) return `${many} of its ${of} relays`;
  return of === 1 ? "its one relay" : of === 2 ? "both its relays" : `all ${of} of its relays`;
}
