import { useInfiniteQuery } from "@tanstack/react-query";
import type { HistoryAnswer, SectionAnswer } from "charter/answers";
import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { type ApiProblem, encodeName, getJson, type Whose, withQuery } from "../../api/request.ts";
import { Cause } from "../../app/cause.tsx";
import { Card, Loading, Trouble } from "../../app/page.tsx";
import { placeOf, useAsked } from "../../app/place.ts";
import type { Amending } from "../../editor/use-amending.ts";
import { Button, Field, Input } from "../../kit/field.tsx";
import { Hand, handFill } from "../../kit/hand.tsx";
import { Badge } from "../../kit/icon.tsx";
import { DiffView, SideBySide } from "../../kit/text/diff.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { timeText } from "../../kit/words.ts";
import { RevisionEvent } from "./core-conflicts.tsx";

type HistoryProps = {
  readonly whose: Whose;
  readonly section: SectionAnswer;
  readonly history: SectionHistory;
  readonly amending: Amending;
};

/** How the words came to be, newest first, each step with its hand, its reason and what it changed. */
export function History({ whose, section, history, amending }: HistoryProps) {
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
      <Trouble problem={problem} />
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

const did: Readonly<Record<Amendment["operation"], string>> = {
  append: "added to the end",
  prepend: "added to the beginning",
  replace_section: "replaced a passage",
  rewrite: "rewrote it",
  reset: "reset it to the original",
  revert: "went back to an earlier text",
};

/** More than this is compared when someone asks for it: a page of long texts must not stand still. */
const large = 100_000;

/** One step of the timeline. */
export function AmendmentEntry({
  amendment,
  whose: { agent, user },
  amending,
  pointedAt,
  onCompare,
}: {
  readonly amendment: Amendment;
  readonly whose: Whose;
  readonly amending: Amending;
  readonly pointedAt: boolean;
  readonly onCompare: () => void;
}) {
  const { revision, actor, operation, at, turn, reason, erasedAt, event } = amendment;
  const entry = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (pointedAt) entry.current?.scrollIntoView({ block: "center" });
  }, [pointedAt]);
  const standing = revision === amending.stands.revision;
  return (
    <li ref={entry} className="relative pb-5 pl-6">
      <span aria-hidden="true" className="absolute top-2 bottom-[-0.5rem] left-[0.3125rem] w-px bg-line" />
      <span aria-hidden="true" className={`absolute top-1.5 left-0 size-[0.6875rem] rounded-full ${handFill[actor]}`} />
      <div className={pointedAt ? "-mx-2 rounded-md bg-raised px-2 py-1" : ""}>
        <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-sm">
          <strong>Revision {revision}</strong>
          {event?.state === "elsewhere" ? (
            <Badge>written elsewhere</Badge>
          ) : (
            <>
              <Hand actor={actor} />
              <span className="text-soft">{did[operation]}</span>
            </>
          )}
          {standing && <Badge tone="good">current</Badge>}
          <span className="ml-auto text-soft text-xs">
            <time dateTime={at}>{timeText(at)}</time>
            {turn && (
              <>
                {" · "}
                <Link href={placeOf(agent, "turns", turn, { user })} className="underline">
                  in this turn
                </Link>
              </>
            )}
          </span>
        </p>
        {event && <RevisionEvent event={event} reason={reason} />}
        {reason && event?.state !== "elsewhere" && (
          <p dir="auto" className="mt-0.5 text-sm [overflow-wrap:anywhere]">
            “{reason}”
          </p>
        )}
        {!reason && turn !== null && event?.state !== "elsewhere" && <Cause agent={agent} turn={turn} />}
        <Changes amendment={amendment} />
        {!standing && (
          <div className="mt-1.5 flex flex-wrap items-center gap-1.5">
            {erasedAt === null && <RevertButton to={revision} amending={amending} />}
            {erasedAt === null && (
              <Button kind="quiet" onClick={onCompare}>
                Compare with now
              </Button>
            )}
          </div>
        )}
      </div>
    </li>
  );
}

function Changes({ amendment: { before, after, erasedAt } }: { readonly amendment: Amendment }) {
  const [asked, setAsked] = useState(false);
  if (before === null || after === null)
    return (
      <p className="mt-1 text-sm text-soft">
        Its text was erased{erasedAt && ` on ${timeText(erasedAt)}`}. The record shows that it took place.
      </p>
    );
  if (before.length + after.length > large && !asked)
    return (
      <Button className="mt-1.5" onClick={() => setAsked(true)}>
        Show what changed
      </Button>
    );
  return <DiffView before={before} after={after} max={8} className="mt-1.5 bg-card" />;
}

/** Where the timeline begins: the words the section was born with. */
function OriginalEntry({ original, amending }: { readonly original: string; readonly amending: Amending }) {
  const standing = amending.stands.revision === 0;
  return (
    <li className="relative pb-2 pl-6">
      <span
        aria-hidden="true"
        className="absolute top-1.5 left-0 size-[0.6875rem] rounded-full border-2 border-soft bg-paper"
      />
      <p className="flex flex-wrap items-center gap-x-2 text-sm">
        <strong>The original</strong>
        {standing && <Badge tone="good">current</Badge>}
        <span className="text-soft">{original === "" ? "initially empty" : "the text it started with"}</span>
      </p>
      {original !== "" && !standing && (
        <LongText text={original} max={400} className="mt-1 font-mono text-[0.8rem] text-soft" />
      )}
      {standing ? (
        <p className="mt-1 text-sm text-soft">Nobody has changed it yet.</p>
      ) : (
        <div className="mt-1.5 flex flex-wrap gap-1.5">
          <RevertButton to={0} amending={amending} />
        </div>
      )}
    </li>
  );
}

/** Back to these words, in one click; or with a reason, in two. Undoing it is going back once more. */
function RevertButton({ to, amending }: { readonly to: number; readonly amending: Amending }) {
  const [reason, setReason] = useState<string>();
  const what = to === 0 ? "Revert to the original" : "Revert to this";
  if (reason === undefined)
    return (
      <>
        <Button
          disabled={amending.busy || amending.locked}
          onClick={() => void amending.revert(to)}
          title={`Revision ${to}, as a new revision`}
        >
          {what}
        </Button>
        <Button kind="quiet" disabled={amending.locked} onClick={() => setReason("")}>
          Give a reason…
        </Button>
      </>
    );
  return (
    <form
      className="flex w-full flex-wrap gap-1.5"
      onSubmit={async (event) => {
        event.preventDefault();
        if (await amending.revert(to, reason === "" ? undefined : reason)) setReason(undefined);
      }}
    >
      <Input
        autoFocus
        dir="auto"
        aria-label={`Why revert to revision ${to}`}
        placeholder="Reason"
        className="min-w-40 flex-1"
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        onKeyDown={({ key, nativeEvent }) => key === "Escape" && !nativeEvent.isComposing && setReason(undefined)}
      />
      <Button type="submit" disabled={amending.busy || amending.locked}>
        {what}
      </Button>
    </form>
  );
}

type CompareRevisionsProps = { readonly whose: Whose; readonly section: SectionAnswer; readonly newest: number };

/** Any two revisions, side by side; the address says which. */
function CompareRevisions({ whose, section, newest }: CompareRevisionsProps) {
  const [asked, setAsked] = useAsked();
  const left = revisionIn(asked("left"), newest);
  const right = revisionIn(asked("right"), newest);
  const before = useRevisionText(whose, section, left);
  const after = useRevisionText(whose, section, right);
  const problem = before.problem ?? after.problem;
  const named = (revision: number) => (revision === 0 ? "The original" : `Revision ${revision}`);
  return (
    <Card className="mb-4 space-y-3">
      <div className="flex flex-wrap items-end gap-2">
        {(["left", "right"] as const).map((side) => (
          <Field key={side} label={side === "left" ? "Revision" : "with revision"} className="w-24">
            <Input
              type="number"
              min={0}
              max={newest}
              value={asked(side) ?? ""}
              onChange={({ target }) => setAsked({ [side]: target.value === "" ? "0" : target.value })}
            />
          </Field>
        ))}
        <p className="min-h-9 py-1.5 text-soft text-xs">0 is the original, {newest} is the current text.</p>
        <Button kind="quiet" className="ml-auto" onClick={() => setAsked({ left: undefined, right: undefined })}>
          Close
        </Button>
      </div>
      <Trouble problem={problem} />
      {!problem && (before.text === undefined || after.text === undefined) && <Loading />}
      {(before.text === null || after.text === null) && (
        <p className="text-sm text-soft">The text of one of them was erased: there is nothing to compare.</p>
      )}
      {typeof before.text === "string" && typeof after.text === "string" && (
        <SideBySide before={before.text} after={after.text} names={[named(left), named(right)]} />
      )}
    </Card>
  );
}

function useRevisionText(whose: Whose, section: SectionAnswer, revision: number) {
  const path = revision === 0 ? undefined : historyPath(whose, section.name, { limit: 1, before: revision + 1 });
  const { data, error, isPlaceholderData } = useApi<HistoryAnswer>(path);
  if (revision === 0) return { text: section.original ?? "", problem: null };
  return { text: isPlaceholderData ? undefined : textOf(data?.amendments, revision), problem: error };
}

/** Which revision an address names: a whole number from 0 to the newest. */
export function revisionIn(asked: string | undefined, newest: number): number {
  const revision = Math.trunc(Number(asked));
  return Number.isFinite(revision) ? Math.min(Math.max(revision, 0), newest) : 0;
}

/** A revision's words; null when they were erased, undefined when they are not known. */
export function textOf(
  amendments: readonly { readonly revision: number; readonly after: string | null }[] | undefined,
  revision: number,
): string | null | undefined {
  return amendments?.find((one) => one.revision === revision)?.after;
}

export type Amendment = HistoryAnswer["amendments"][number];

export type SectionHistory = {
  /** Newest first: those that were read so far. */
  readonly amendments: readonly Amendment[];
  readonly problem: ApiProblem | null;
  readonly loading: boolean;
  readonly more: boolean;
  readonly readMore: () => void;
};

export function historyPath(
  { agent, user }: Whose,
  section: string,
  query: { limit: number; before?: number | undefined },
) {
  return withQuery(`/agents/${encodeName(agent)}/sections/${encodeName(section)}/history`, { user, ...query });
}

/** How a section's words came to be, newest first, one page after the other. */
export function useHistory(whose: Whose, section: string): SectionHistory {
  const { data, error, isPending, hasNextPage, fetchNextPage } = useInfiniteQuery<
    HistoryAnswer,
    ApiProblem,
    { readonly pages: readonly HistoryAnswer[] },
    readonly unknown[],
    number | undefined
  >({
    queryKey: ["api", "history", whose.agent, whose.user, section],
    queryFn: ({ pageParam, signal }) =>
      getJson<HistoryAnswer>(historyPath(whose, section, { limit: 20, before: pageParam }), signal),
    initialPageParam: undefined,
    getNextPageParam: ({ amendments, more }) => (more ? amendments.at(-1)?.revision : undefined),
  });
  return {
    amendments: data?.pages.flatMap(({ amendments }) => amendments) ?? [],
    problem: error,
    loading: isPending,
    more: hasNextPage,
    readMore: () => void fetchNextPage(),
  };
}
