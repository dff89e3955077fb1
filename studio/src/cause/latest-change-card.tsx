import { Cause } from "../app/cause.tsx";
import { placeOf } from "../app/place.ts";
import { To, ToSection } from "../billing/links.tsx";
import { Hand } from "../kit/hand.tsx";
import { DiffView } from "../kit/text/diff.tsx";
import { timeText } from "../kit/words.ts";
import type { LatestChange } from "./latest-change.ts";

type CardProps = { readonly agent: string; readonly user: string | undefined; readonly change: LatestChange };

/** What was changed last in a prompt: the lines that came and went, whose hand, and what caused it. */
export function LatestChangeCard({ agent, user, change }: CardProps) {
  const { section, revision, actor, at, turn, reason, before, after } = change;
  return (
    <section aria-label="Latest change" className="rounded-md border border-accent bg-card px-3 py-2 text-sm">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        <strong className="font-medium">Latest change</strong>
        <ToSection agent={agent} section={section} user={user} revision={revision} />
        <span className="text-soft">revision {revision}, by the</span>
        <Hand actor={actor} />
        <time dateTime={at} className="text-soft">
          {timeText(at)}
        </time>
        {turn !== null && <To href={placeOf(agent, "turns", turn)}>in this turn</To>}
      </p>
      {before !== null && after !== null && before.length + after.length <= 100_000 && (
        <DiffView before={before} after={after} max={4} className="mt-1.5" />
      )}
      {reason ? (
        <p dir="auto" className="mt-1 text-soft [overflow-wrap:anywhere]">
          Because: {reason}
        </p>
      ) : (
        turn !== null && (
          <div className="mt-1">
            <Cause agent={agent} turn={turn} />
          </div>
        )
      )}
    </section>
  );
}
