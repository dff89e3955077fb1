import type { NextRequestAnswer } from "charter/answers";
import { Link } from "wouter";
import { placeOf } from "../../app/place.ts";
import { finalCuts } from "../../assembly/assembled.ts";
import { LatestChangeCard, useLatestChange } from "../../cause/latest-change.tsx";
import { Hand, type HandName } from "../../kit/hand.tsx";
import { LongList } from "../../kit/list.tsx";
import { count } from "../../kit/words.ts";
import { cutWords, omissionWords } from "./trimmed.ts";

type AsideProps = {
  readonly request: NextRequestAnswer;
  readonly about: { readonly agent: string; readonly user: string | undefined };
  /** Sections that the request it is compared with had. */
  readonly gone: readonly string[];
  /** A smaller limit is tried out: what gives way is told there. */
  readonly isLimited: boolean;
};

/** Whose words it is made of, what was changed last, what gave way, and what is not in it at all. */
export function Aside({ request, about, gone, isLimited }: AsideProps) {
  const latest = useLatestChange(about.agent, about.user);
  const cuts = isLimited ? [] : finalCuts(request.cuts as Parameters<typeof finalCuts>[0]);
  const others = request.omitted.filter(({ reason }) => reason !== "gave-way");
  return (
    <div className="space-y-5 text-sm">
      <Hands request={request} />
      {latest && !request.sent && <LatestChangeCard agent={about.agent} user={about.user} change={latest} />}
      <Sections
        title="Gone since then"
        of={gone.map((name) => ({ name, says: "was in the request before" }))}
        about={about}
      />
      <Sections
        title="Trimmed to fit"
        of={cuts.map((cut) => ({ name: cut.section, says: cutWords(cut) }))}
        about={about}
      />
      <Sections
        title="Not in this prompt"
        of={others.map((one) => ({ name: one.name, says: omissionWords(one) }))}
        about={about}
      />
    </div>
  );
}

/** The legend: each hand with the share of the request's sections that is its own. */
function Hands({ request: { parts } }: { readonly request: NextRequestAnswer }) {
  const letters = new Map<HandName, number>();
  for (const { hand, length } of parts.flatMap(({ sections }) => sections.flatMap(({ spans }) => spans)))
    letters.set(hand, (letters.get(hand) ?? 0) + length);
  const all = [...letters.values()].reduce((sum, one) => sum + one, 0);
  const shares = [...letters].sort(([, one], [, other]) => other - one);
  return (
    <p aria-label="Whose words the sections are" role="note" className="flex flex-wrap gap-x-3 gap-y-1">
      {shares.map(([hand, many]) => (
        <span key={hand} className="text-soft text-xs tabular-nums">
          <Hand actor={hand} /> {Math.round((many / all) * 100)}%
        </span>
      ))}
    </p>
  );
}

type SectionsProps = {
  readonly title: string;
  readonly of: readonly { readonly name: string; readonly says: string }[];
  readonly about: AsideProps["about"];
};

function Sections({ title, of, about: { agent, user } }: SectionsProps) {
  if (of.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className="mb-1 font-semibold">
        {title} <span className="font-normal text-soft tabular-nums">{count(of.length)}</span>
      </h2>
      <LongList
        items={of}
        label={title}
        keyOf={({ name }, index) => `${name} ${index}`}
        draw={({ name, says }) => (
          <p className="[overflow-wrap:anywhere]">
            <Link href={placeOf(agent, "sections", name, { user })} className="font-medium hover:underline">
              <bdi>{name}</bdi>
            </Link>{" "}
            <span className="text-soft">{says}</span>
          </p>
        )}
      />
    </section>
  );
}
