import type { HistoryAnswer, SectionListAnswer } from "charter/answers";
import { useMemo } from "react";
import { useApi } from "../api/query-client.ts";
import { encodeName, type Whose, withQuery } from "../api/request.ts";
import { Cause } from "../app/cause.tsx";
import { placeOf } from "../app/place.ts";
import { ToSection } from "../billing/links.tsx";
import { Hand } from "../kit/hand.tsx";
import { DiffView, diffRows } from "../kit/text/diff.tsx";
import { TextLink } from "../kit/text-link.tsx";
import { plural, timeText } from "../kit/words.ts";

type Section = Pick<SectionListAnswer["sections"][number], "name" | "revision" | "updatedAt">;

/** The last amendment of any section of a prompt. */
type LatestChange = HistoryAnswer["amendments"][number] & {
  readonly section: string;
  /** How many lines came and went, in words; undefined where its text is not known any more. */
  readonly lines: string | undefined;
};

/** Which section of an agent, with one user, was changed last, and how; undefined until it is known, and where none was. */
export function useLatestChange(agent: string, user: string | undefined): LatestChange | undefined {
  const of = `/agents/${encodeName(agent)}/sections`;
  const sections = useApi<SectionListAnswer>(withQuery(of, { user, limit: 100 })).data?.sections;
  const latest = useMemo(() => latestOf(sections ?? []), [sections]);
  const history = useApi<HistoryAnswer>(
    latest &&
      withQuery(`${of}/${encodeName(latest.name)}/history`, { user, limit: 1, before: (latest.revision ?? 0) + 1 }),
  );
  const found = history.data?.amendments.find(({ revision }) => revision === latest?.revision);
  return useMemo(
    () =>
      latest && found
        ? { ...found, section: latest.name, lines: linesWords(found.before ?? null, found.after ?? null) }
        : undefined,
    [latest, found],
  );
}

export function latestOf<Some extends Section>(sections: readonly Some[]): Some | undefined {
  return sections
    .filter(({ revision, updatedAt }) => updatedAt !== null && (revision ?? 0) > 0)
    .toSorted((one, other) => (other.updatedAt ?? "").localeCompare(one.updatedAt ?? ""))[0];
}

/** More is not compared for a few words about it. */
const large = 100_000;

/** Which lines came and which went: “+1 line”, “+2 −1 lines”. */
export function linesWords(before: string | null, after: string | null): string | undefined {
  if (before === null || after === null || before.length + after.length > large) return undefined;
  const rows = diffRows(before, after);
  const [added, removed] = (["added", "removed"] as const).map(
    // Where there was nothing, the empty line went nowhere.
    (kind) => rows.filter((row) => row.kind === kind && row.pieces.some(({ text }) => text !== "")).length,
  ) as [number, number];
  if (added === 0 && removed === 0) return undefined;
  if (removed === 0) return `+${plural(added, "line")}`;
  return added === 0 ? `−${plural(removed, "line")}` : `+${added} −${plural(removed, "line")}`;
}

type CardProps = Whose & { readonly change: LatestChange };

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
        {turn !== null && <TextLink href={placeOf(agent, "turns", turn)}>in this turn</TextLink>}
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
