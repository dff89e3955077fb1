import { useMemo } from "react";
import { useLocation } from "wouter";
import { Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { cacheRuleOf, placedSections } from "../../assembly/assembled.ts";
import { useAssembled } from "../../assembly/use-assembled.ts";
import { LatestChangeCard, useLatestChange } from "../../cause/latest-change.tsx";
import { plural } from "../../kit/words.ts";
import { Strata } from "../../strata/strata.tsx";
import { ActLink } from "./act-link.tsx";
import type { Effect } from "./first-steps.ts";
import type { First } from "./use-first-facts.ts";

const height = 260;

const effectWords: Readonly<Record<Exclude<Effect, "landed">, string>> = {
  edited: "Your words changed a section. You, or someone else, edited it since.",
  held: "What you said led to a change that needed a person’s approval.",
  nothing: "What you said changed nothing in the prompt. Say what it should do always, or never: that does.",
};

/** The prompt of the next turn as a picture, and which of its sections the agent changed. */
export function SeeStep({
  first: { agent, user, landed, effect },
  isNext,
}: {
  readonly first: First;
  readonly isNext: boolean;
}) {
  const { data, problem } = useAssembled({ agent, user, channel: "web" });
  const strata = useMemo(() => (data ? placedSections(data) : []), [data]);
  const change = useLatestChange(agent, user);
  const [, go] = useLocation();
  const placeFor = (section: string | undefined) =>
    placeOf(agent, "prompt", undefined, { user, channel: "web", section, show: "new" });
  return (
    <>
      <p className="text-sm text-soft">
        The system prompt of the next turn. Each band is a section, sized by tokens. In the prompt, click any word to
        see who wrote it, in which turn, and why.
      </p>
      {landed && (
        <p className="text-sm [overflow-wrap:anywhere]">
          Your words changed the section <strong className="font-medium">{landed.name}</strong>, now at revision{" "}
          {landed.revision}.
        </p>
      )}
      {effect !== undefined && effect !== "landed" && <p className="text-sm">{effectWords[effect]}</p>}
      {(effect === "landed" || effect === "edited") && change && (
        <LatestChangeCard agent={agent} user={user} change={change} />
      )}
      {problem && !data && <Trouble problem={problem} />}
      {!problem && !data && <Loading what="Assembling the prompt…" />}
      {data && (
        <Strata
          strata={strata}
          height={height}
          label={`The next prompt: ${plural(data.tokens.total, "token")} in ${plural(strata.length, "section")}`}
          cache={cacheRuleOf(data)}
          selected={landed?.name}
          news={change && { name: change.section, words: change.lines ?? "changed" }}
          onSelect={(section) => go(placeFor(section))}
        />
      )}
      <ActLink href={placeFor(landed?.name)} isNext={isNext}>
        See the prompt
      </ActLink>
    </>
  );
}
