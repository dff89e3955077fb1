import { useState } from "react";
import { placeOf } from "../../app/place.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { timeText } from "../../kit/words.ts";
import type { Life } from "./obstacles.ts";
import { causeWords, stateWords } from "./state-words.ts";

const atFirst = 12;

/** How its state changed, newest first: into what, why, in which turn. */
export function Transitions({ life: { agent, transitions } }: { readonly life: Life }) {
  const [all, setAll] = useState(false);
  const shown = all ? transitions : transitions.slice(0, atFirst);
  return (
    <section aria-label="What happened last">
      <h2 className="mb-1 font-semibold text-lg">What happened last</h2>
      {transitions.length === 0 && <p className="text-sm text-soft">Nothing yet.</p>}
      {shown.length > 0 && (
        <ol className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
          {shown.map(({ from, to, cause, turn, at, fault }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two changes may be alike in everything else.
            <li key={`${at}${from}${to}${index}`} className="px-4 py-2 text-sm">
              <p className="flex flex-wrap items-baseline gap-x-2">
                <span className="font-medium">{stateWords(to).title}</span>
                {fault && <Badge tone="bad">fault</Badge>}
                <span className="ml-auto text-soft text-xs">{timeText(at)}</span>
              </p>
              <p className="text-soft text-xs [overflow-wrap:anywhere]">
                {causeWords(cause)}
                {turn !== null && (
                  <>
                    {" · "}
                    <TextLink href={placeOf(agent, "turns", turn)}>Turn</TextLink>
                  </>
                )}
              </p>
            </li>
          ))}
        </ol>
      )}
      {transitions.length > atFirst && (
        <Button kind="quiet" className="mt-2" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show the latest" : `Show ${transitions.length - atFirst} earlier ones`}
        </Button>
      )}
    </section>
  );
}
