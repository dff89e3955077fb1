import type { TurnAnswer } from "charter/answers";
import type { NowSide, Side } from "./side.ts";

export type Pair = { readonly left: Side; readonly right: Side };

/** What is there to choose from. `turns` newest first. */
export type Known = {
  readonly turns: readonly TurnAnswer[];
  readonly users: readonly string[];
  readonly channels: readonly string[];
  /** Whoever is asking. */
  readonly user: string | undefined;
};

export type Preset = { readonly words: string; readonly pair: Pair | undefined };

/** Pairs one often wants to see; a preset for which there is not enough has no pair. */
export function presets(known: Known): readonly Preset[] {
  const { turns, users, channels, user } = known;
  const now = (more: Partial<NowSide> = {}): NowSide => ({ kind: "now", ...(user ? { user } : {}), ...more });
  const last = turns.find(({ steps, state }) => steps > 0 && state !== "erased");
  const before = last && turns.slice(turns.indexOf(last) + 1).find((one) => isBefore(one, last));
  const other = users.find((one) => one !== user);
  const [first = "web", second] = channels;
  return [
    { words: "The last turn and now", pair: last && { left: turnSide(last), right: nowAfter(last) } },
    {
      words: "A turn and the one before",
      pair: last && before && { left: turnSide(before), right: turnSide(last) },
    },
    {
      words: "Two users",
      pair: other === undefined ? undefined : { left: now(), right: { kind: "now", user: other } },
    },
    {
      words: "Two channels",
      pair: second === undefined ? undefined : { left: now({ channel: first }), right: now({ channel: second }) },
    },
    { words: "Two editions", pair: { left: now({ edition: "full" }), right: now({ edition: "compact" }) } },
  ];
}

function isBefore({ scope, steps, state }: TurnAnswer, last: TurnAnswer): boolean {
  return scope.user === last.scope.user && steps > 0 && state !== "erased";
}

const turnSide = ({ id }: TurnAnswer): Side => ({ kind: "turn", turn: id });

/** The next prompt of whoever had that turn, where they had it. */
function nowAfter({ scope: { user }, channel }: TurnAnswer): NowSide {
  return { kind: "now", ...(user === undefined ? {} : { user }), ...(channel === null ? {} : { channel }) };
}
