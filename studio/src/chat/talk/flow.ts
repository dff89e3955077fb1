import type { TurnAnswer } from "charter/answers";
import type { Said } from "./talk.ts";

/** What stands in a conversation, from the top: on record, or said here. */
export type Entry = { readonly key: string; readonly turn: TurnAnswer } | { readonly key: string; readonly said: Said };

/** Where it stands: when it was said here. */
const placeOf = ({ told, startedAt }: TurnAnswer) => told?.at ?? startedAt;

/** `turns` newest first, by when they began. What was said here is shown as it came, also when it is on record by now. */
export function flow(turns: readonly TurnAnswer[], said: readonly Said[]): readonly Entry[] {
  const here = new Map(said.flatMap((one) => (one.reply.turn === undefined ? [] : [[one.reply.turn, one] as const])));
  const ordered = turns
    .toReversed()
    .sort((one, other) => Number(placeOf(one) > placeOf(other)) || -Number(placeOf(one) < placeOf(other)));
  const recorded = ordered.map((turn): Entry => {
    const own = here.get(turn.id);
    here.delete(turn.id);
    return own && turn.state !== "erased" ? { key: own.key, said: own } : { key: turn.id, turn };
  });
  const unlisted = said.filter(({ reply }) => reply.turn === undefined || here.has(reply.turn));
  return [...recorded, ...unlisted.map((one): Entry => ({ key: one.key, said: one }))];
}
