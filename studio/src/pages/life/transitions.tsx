import { useState } from "react";
import { placeOf } from "../../app/place.ts";
import { Button } from "../../kit/field.tsx";
import { Badge } from "../../kit/icon.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { timeText } from "../../kit/words.ts";
import { type Episode, episodesOf } from "./episodes.ts";
import type { Life } from "./obstacles.ts";
import { causeWords, stateWords } from "./state-words.ts";

const atFirst = 12;

/** How its state changed, newest first: turn by turn, through which states, and how that ended. */
export function Transitions({ life: { agent, transitions } }: { readonly life: Life }) {
  const [all, setAll] = useState(false);
  const episodes = episodesOf(transitions);
  const shown = all ? episodes : episodes.slice(0, atFirst);
  return (
    <section aria-label="Latest events">
      <h2 className="mb-1 font-semibold text-lg">Latest events</h2>
      {episodes.length === 0 && <p className="text-sm text-soft">Nothing yet.</p>}
      {shown.length > 0 && (
        <ol className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
          {shown.map((episode, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two may be alike in everything, and none has a state of its own.
            <Row key={index} agent={agent} episode={episode} />
          ))}
        </ol>
      )}
      {episodes.length > atFirst && (
        <Button kind="quiet" className="mt-2" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show the latest" : `Show ${episodes.length - atFirst} earlier ones`}
        </Button>
      )}
    </section>
  );
}

function Row({ agent, episode }: { readonly agent: string; readonly episode: Episode }) {
  const { turn, at, cause, states, faults } = episode;
  const words = causeWords(cause);
  return (
    <li className="px-4 py-2 text-sm">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="inline-block first-letter:uppercase [overflow-wrap:anywhere]">{words}</span>
        {faults.length > 0 && <Badge tone="bad">fault</Badge>}
        {turn !== null && <TextLink href={placeOf(agent, "turns", turn)}>Turn</TextLink>}
        <span className="ml-auto text-soft text-xs">{timeText(at)}</span>
      </p>
      <p className="text-soft text-xs">{states.map((state) => stateWords(state).title).join(" → ")}</p>
      {faults
        .filter((fault) => fault !== cause)
        .map((fault) => (
          <p key={fault} className="text-bad text-xs [overflow-wrap:anywhere]">
            {causeWords(fault)}
          </p>
        ))}
    </li>
  );
}
