import type { ApprovalListAnswer, TurnAnswer } from "charter/answers";
import { wishOf } from "../../kit/own-tool.tsx";
import type { Said } from "./talk.ts";

/** What stands in the conversation, from the top. A turn that was taken here brings what is known of it since. */
export type Entry =
  | { readonly kind: "turn"; readonly key: string; readonly turn: TurnAnswer; readonly said?: Said }
  | { readonly kind: "said"; readonly key: string; readonly said: Said }
  /** From here on the model is not told what stands above; or, when it goes `back`, it is again told what was said before. */
  | { readonly kind: "anew"; readonly key: string; readonly back: boolean };

/**
 * `turns` newest first, as they are on record. Runs that had nothing to report are left out. What was said here and is
 * not on record (yet) stands at the end.
 */
export function flow(
  turns: readonly TurnAnswer[],
  quiet: ReadonlySet<string>,
  said: readonly Said[],
): readonly Entry[] {
  const entries: Entry[] = [];
  const here = new Map(said.flatMap((one) => (one.so.turn === undefined ? [] : [[one.so.turn, one] as const])));
  const sessions: string[] = [];
  for (const turn of turns.toReversed()) {
    const own = here.get(turn.id);
    here.delete(turn.id);
    if (quiet.has(turn.id)) continue;
    if (turn.channel === "web" && turn.session !== null) {
      const back = sessions.includes(turn.session);
      if (sessions.length > 0 && sessions.at(-1) !== turn.session)
        entries.push({ kind: "anew", key: `anew-${turn.id}`, back });
      sessions.push(turn.session);
    }
    const shown = own && turn.state !== "erased" ? { said: own, key: own.key } : { key: turn.id };
    entries.push({ kind: "turn", turn, ...shown });
  }
  const unlisted = said.filter(({ so }) => so.turn === undefined || here.has(so.turn));
  return [...entries, ...unlisted.map((one): Entry => ({ kind: "said", key: one.key, said: one }))];
}

/** What was said here in one session; without one, all of it. */
export function saidIn(said: readonly Said[], session: string | undefined): readonly Said[] {
  return session === undefined ? said : said.filter(({ so, to }) => (so.session ?? to) === session);
}

/** Something that waits for a person. */
export type Waiting = { readonly held: string; readonly what: "proposal" | "call"; readonly name: string };

/** What waits and stands in no turn that is shown: it came by itself, or long ago. Of other users, nothing. */
export function waitingElsewhere(
  { proposals, calls }: Pick<ApprovalListAnswer, "proposals" | "calls">,
  user: string,
  shown: ReadonlySet<string>,
): readonly Waiting[] {
  const here = ({ scope }: { readonly scope: { readonly user?: string | undefined } }, turn: string | undefined) =>
    (scope.user === undefined || scope.user === user) && (turn === undefined || !shown.has(turn));
  return [
    ...proposals
      .filter((one) => here(one, one.proposal.turn))
      .map(({ id, section }) => ({ held: id, what: "proposal" as const, name: section })),
    ...calls
      .filter((one) => here(one, one.turn))
      .map(({ id, tool, asks }) => ({
        held: id,
        what: "call" as const,
        name: asks === undefined ? tool : wishOf(asks),
      })),
  ];
}
