import { useMemo } from "react";
import { Link } from "wouter";
import { placeOf } from "../../app/place.ts";
import type { Assembled, Wanted } from "../../assembly/assembled.ts";
import { finalCuts } from "../../assembly/final-cuts.ts";
import type { LatestChange } from "../../cause/latest-change.ts";
import { LatestChangeCard } from "../../cause/latest-change-card.tsx";
import { LongList } from "../../kit/long-list.tsx";
import { count } from "../../kit/words.ts";
import { Hints } from "./hints.tsx";
import { cutWords, omissionWords } from "./trimmed.ts";

/** What was changed last, what was trimmed, in which order, and what is not in this prompt at all. */
export function Aside(props: {
  readonly assembled: Assembled;
  readonly wanted: Wanted;
  readonly latest: LatestChange | undefined;
}) {
  const { assembled, wanted, latest } = props;
  const { omitted } = assembled;
  const cuts = useMemo(() => finalCuts(assembled.cuts), [assembled.cuts]);
  const others = omitted.filter(({ reason }) => reason !== "gave-way");
  return (
    <div className="space-y-5 text-sm">
      {latest && <LatestChangeCard agent={wanted.agent} user={wanted.user} change={latest} />}
      <section>
        <Title count={cuts.length}>Trimmed to fit</Title>
        {cuts.length === 0 ? (
          <p className="text-soft">Nothing. Every section is complete.</p>
        ) : (
          <LongList
            items={cuts}
            label="Trimmed to fit"
            keyOf={({ section, unit, form }, index) => `${section} ${form} ${unit} ${index}`}
            draw={(cut, index) => (
              <>
                {cut.because !== cuts[index - 1]?.because && <p className="text-soft text-xs">{cut.because}</p>}
                <Said section={cut.section} wanted={wanted}>
                  {cutWords(cut)}
                </Said>
              </>
            )}
          />
        )}
      </section>
      <section>
        <Title count={others.length}>Not in this prompt</Title>
        {others.length === 0 ? (
          <p className="text-soft">Nothing is left out.</p>
        ) : (
          <LongList
            items={others}
            label="Not in this prompt"
            keyOf={({ name: one, reason }) => `${one} ${reason}`}
            draw={(omission) => (
              <Said section={omission.name} wanted={wanted}>
                {omissionWords(omission)}
              </Said>
            )}
          />
        )}
      </section>
      <section>
        <Title>How to change it</Title>
        <Hints wanted={wanted} editors={assembled.about.editors} />
      </section>
    </div>
  );
}

function Title({ count: many = 0, children }: { readonly count?: number; readonly children: string }) {
  return (
    <h2 className="mb-1 font-semibold">
      {children} {many > 0 && <span className="font-normal text-soft tabular-nums">{count(many)}</span>}
    </h2>
  );
}

function Said({
  section,
  wanted,
  children,
}: {
  readonly section: string;
  readonly wanted: Wanted;
  readonly children: React.ReactNode;
}) {
  return (
    <p className="[overflow-wrap:anywhere]">
      <Link
        href={placeOf(wanted.agent, "sections", section, { user: wanted.user })}
        className="font-medium hover:underline"
      >
        <bdi>{section}</bdi>
      </Link>{" "}
      <span className="text-soft">{children}</span>
    </p>
  );
}
