import { housePlaceOf, placeOf } from "../../app/place.ts";
import { brokeWords } from "../../billing/broke-words.ts";
import { To, ToSection } from "../../billing/links.tsx";
import { MarkIcon } from "../../billing/mark-icon.tsx";
import { missText } from "../../billing/marks.ts";
import type { CacheBreak, Sample } from "../../billing/sample.ts";
import { hands } from "../../billing/told.ts";
import { count } from "../../kit/words.ts";

/** What is worth a look in a turn: amended, refused, held, and what broke the cache; each leads to its place. */
export function Happenings({ sample, agent }: { readonly sample: Sample; readonly agent: string }) {
  const { amended, refused, held, broke, missed, scope, turn } = sample;
  if (amended.length + refused + held === 0 && broke === null && !missed) return null;
  const here = placeOf(agent, "turns", turn);
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-0.5 text-sm">
      {amended.map(({ section, revision, actor }) => (
        <li key={`${section}/${revision}`} className="flex items-center gap-1.5">
          <MarkIcon kind="amended" />
          <span>
            {hands[actor]} amended <ToSection agent={agent} section={section} user={scope.user} revision={revision} />
            {revision !== null && <span className="text-soft"> (revision {revision})</span>}
          </span>
        </li>
      ))}
      {refused > 0 && (
        <li className="flex items-center gap-1.5">
          <MarkIcon kind="refused" />
          <To href={here}>{count(refused)} refused</To>
        </li>
      )}
      {held > 0 && (
        <li className="flex items-center gap-1.5">
          <MarkIcon kind="held" />
          <To href={housePlaceOf("approvals", undefined, { agent: agent })}>{count(held)} needed approval</To>
        </li>
      )}
      {(missed || broke) && (
        <li className="flex items-center gap-1.5">
          {missed && <MarkIcon kind="broken" />}
          {broke ? (
            <Broke broke={broke} agent={agent} user={scope.user} here={turn} />
          ) : (
            `Cache miss: ${missText(sample)}`
          )}
        </li>
      )}
    </ul>
  );
}

/** What broke the cached prefix, in a sentence; the section and the turn in it lead to where they are. */
export function Broke(props: {
  readonly broke: CacheBreak;
  readonly agent: string;
  readonly user: string | undefined;
  readonly here: string;
}) {
  const { broke, agent, user, here } = props;
  const { section, turn } = broke;
  return (
    <span className={`[overflow-wrap:anywhere] ${broke.what === "opened" ? "text-soft" : ""}`}>
      {brokeWords(broke).map((words) => {
        if (words.is === "section" && section !== null)
          return <ToSection key="section" agent={agent} section={section} user={user} revision={broke.revision} />;
        if (words.is === "turn" && turn !== null && turn !== here)
          return (
            <To key="turn" href={placeOf(agent, "turns", turn)}>
              {words.text}
            </To>
          );
        return <bdi key={words.text}>{words.text}</bdi>;
      })}
    </span>
  );
}
