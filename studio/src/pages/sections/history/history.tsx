import type { SectionAnswer } from "charter/answers";
import { useEffect } from "react";
import { Loading, Trouble } from "../../../app/page.tsx";
import { useAsked } from "../../../app/place.ts";
import type { Amending, Whose } from "../../../editor/use-amending.ts";
import { Button } from "../../../kit/field.tsx";
import { AmendmentEntry } from "./amendment-entry.tsx";
import { CompareRevisions } from "./compare-revisions.tsx";
import { OriginalEntry } from "./original-entry.tsx";
import type { SectionHistory } from "./use-history.ts";

/** How the words came to be, newest first, each step with its hand, its reason and what it changed. */
export function History({
  whose,
  section,
  history,
  amending,
}: {
  readonly whose: Whose;
  readonly section: SectionAnswer;
  readonly history: SectionHistory;
  readonly amending: Amending;
}) {
  const [asked, setAsked] = useAsked();
  const { amendments, problem, loading, more, readMore } = history;
  const { stands } = amending;
  const pointed = Number(asked("revision") ?? Number.POSITIVE_INFINITY);
  const oldest = amendments.at(-1)?.revision ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one page after the other, until the revision the address names is there.
  useEffect(() => {
    if (more && pointed < oldest) readMore();
  }, [more, pointed, oldest]);
  const comparing = asked("left") !== undefined && asked("right") !== undefined;
  const compare = (left: number, right: number) => setAsked({ left: String(left), right: String(right) });
  return (
    <section
      aria-labelledby="history"
      className="min-w-0 @5xl:sticky @5xl:top-4 @5xl:max-h-[calc(100dvh-2rem)] @5xl:overflow-y-auto @5xl:px-1.5 @5xl:pb-2"
    >
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h3 id="history" className="font-semibold">
          History
        </h3>
        {stands.revision > 0 && !comparing && (
          <Button kind="quiet" onClick={() => compare(stands.revision - 1, stands.revision)}>
            Compare two revisions
          </Button>
        )}
      </div>
      {comparing && <CompareRevisions whose={whose} section={section} newest={stands.revision} />}
      {problem && <Trouble problem={problem} />}
      {loading && !problem && <Loading />}
      {!loading && (
        <ol>
          {amendments.map((amendment) => (
            <AmendmentEntry
              key={amendment.revision}
              amendment={amendment}
              whose={whose}
              amending={amending}
              pointedAt={pointed === amendment.revision}
              onCompare={() => compare(amendment.revision, stands.revision)}
            />
          ))}
          {more ? (
            <li className="pb-2 pl-6">
              <Button onClick={readMore}>Show older revisions</Button>
            </li>
          ) : (
            <OriginalEntry original={section.original ?? ""} amending={amending} />
          )}
        </ol>
      )}
    </section>
  );
}
