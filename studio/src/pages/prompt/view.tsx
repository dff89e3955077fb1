import type { NextRequestAnswer } from "charter/answers";
import { ArrowDown, ArrowUp } from "lucide-react";
import { Suspense, useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import { Link } from "wouter";
import type { Whose } from "../../api/request.ts";
import { Loading } from "../../app/page.tsx";
import { placeOf, useAsked } from "../../app/place.ts";
import { finalCuts, type Wanted } from "../../assembly/assembled.ts";
import { useAssembled, useRange } from "../../assembly/use-assembled.ts";
import { LatestChangeCard, useLatestChange } from "../../cause/latest-change.tsx";
import { Button, Input, useTyped } from "../../kit/field.tsx";
import { Hand, type HandName } from "../../kit/hand.tsx";
import { Icon } from "../../kit/icon.tsx";
import { LongList } from "../../kit/list.tsx";
import { onDemand } from "../../kit/on-demand.ts";
import { useWide } from "../../kit/window.ts";
import { count } from "../../kit/words.ts";
import { lineText } from "../../strata/layout.ts";
import {
  type Block,
  blockOf,
  changedSince,
  cutBy,
  documentOf,
  goneSince,
  type Mark,
  type Row,
  rowsOf,
  type Stretch,
  within,
} from "./document.ts";
import { cutWords, LimitPanel, omissionWords } from "./limit-panel.tsx";
import { Ribbon } from "./ribbon.tsx";
import { PromptText } from "./text.tsx";
import { useWord, WordPanel } from "./word-panel.tsx";

const EditInPlace = onDemand(() => import("./edit-in-place.tsx"));

export type ViewProps = {
  readonly request: NextRequestAnswer;
  /** The request that what is new in this one is told by. */
  readonly before: NextRequestAnswer | undefined;
  readonly wanted: Wanted;
};

/** The document: the ribbon of the whole request, its text with the hands at its margin, and what is asked of it. */
export function View({ request, before, wanted }: ViewProps) {
  const [asked, change] = useAsked();
  const document = useMemo(() => documentOf(request), [request]);
  const earlier = useMemo(() => before && documentOf(before), [before]);
  const { text, blocks } = document;
  const { agent } = wanted;
  const user = request.user ?? wanted.user;
  const about = useMemo(() => ({ agent, user }), [agent, user]);
  const [unfolded, setUnfolded] = useState(false);
  const [editing, setEditing] = useState<{ readonly section: string; readonly from: string | undefined }>();
  const [look, setLook] = useState<{ readonly at: number; readonly align: "start" | "auto" | "center" }>();
  const word = useWord(text, blocks);
  const find = useFind(text, blocks);
  const sought = find.hits[find.here]?.start;
  const inTools = sought !== undefined && blocks.some(({ part, end }) => part === "tools" && sought < end);
  const folded = useMemo(
    () => new Set([...(unfolded || inTools ? [] : ["#tools"]), ...(editing ? [editing.section] : [])]),
    [unfolded, inTools, editing],
  );
  const rows = useMemo(() => rowsOf(text, blocks, folded), [text, blocks, folded]);
  const limit = useLimit(wanted, request);
  const fitted = limit.value === undefined ? undefined : limit.fitted;
  const cutsOf = useMemo(() => fitted && cutBy(document, fitted), [document, fitted]);
  const news = useMemo(
    () => (earlier ? changedSince(document, earlier).map((one): Mark => ({ ...one, kind: "new" })) : []),
    [document, earlier],
  );
  const gone = useMemo(() => (earlier ? goneSince(document, earlier) : []), [document, earlier]);
  const marksOf = useCallback(
    ({ block, start, end }: Row): readonly Mark[] => [
      ...within(news, start, end),
      ...(cutsOf?.(block) ?? []).map((one): Mark => ({ ...one, kind: "cut" })),
      ...within(find.marks, start, end),
      ...(word.at ? [{ ...word.at, kind: "word" } satisfies Mark] : []),
    ],
    [news, cutsOf, find.marks, word.at],
  );
  const selected = asked("section");
  const toBlock = (name: string) => {
    const at = blockOf(blocks, name)?.start;
    if (at !== undefined) setLook({ at, align: "start" });
  };
  /** To the first words of a section that the limit leaves out; where all of it is there, to its beginning. */
  const toCut = (name: string) => {
    const block = blockOf(blocks, name);
    const [cut] = (block && cutsOf?.(block)) ?? [];
    if (cut) setLook({ at: cut.start, align: "center" });
    else toBlock(name);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the address names another, not when the prompt changes.
  useEffect(() => {
    if (selected !== undefined) toBlock(selected);
  }, [selected]);
  useEffect(() => {
    if (sought !== undefined) setLook({ at: sought, align: "center" });
  }, [sought]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new is led to once.
  useEffect(() => {
    const [first] = news;
    if (first) setLook({ at: first.start, align: "center" });
  }, [request, before]);
  // A word that the address names is brought into view once; one that was clicked is in view.
  const [named, setNamed] = useState(word.open);
  useEffect(() => {
    if (!named || !word.at) return;
    setNamed(false);
    setLook({ at: word.at.start, align: "center" });
  }, [named, word.at]);
  const edit = useCallback((section: string, from?: string) => setEditing({ section, from }), []);
  const close = useCallback(() => setEditing(undefined), []);
  const fold = useCallback((_: Block) => setUnfolded((before) => !before), []);
  const beside = useWide(1280);
  const panel = word.open && word.at && (
    <WordPanel
      document={document}
      amendments={request.amendments}
      about={about}
      word={word.at}
      onClose={word.close}
      onEdit={edit}
    />
  );
  return (
    <div className="grid grid-cols-[2.75rem_minmax(0,1fr)] gap-x-2 gap-y-4 sm:grid-cols-[4rem_minmax(0,1fr)] sm:gap-x-4 lg:h-[max(30rem,calc(100dvh-15rem))] xl:h-auto xl:min-h-[30rem] xl:flex-1 xl:grid-cols-[4.5rem_minmax(0,1fr)_min(20rem,30%)] xl:grid-rows-[minmax(0,1fr)]">
      <div className="h-[75dvh] min-h-0 lg:h-auto">
        <Ribbon
          blocks={blocks}
          total={request.tokens.total}
          cached={cachedOf(request)}
          selected={selected}
          onSelect={({ name }) => {
            change({ section: name });
            toBlock(name);
          }}
          limit={request.sent ? undefined : limit}
        />
      </div>
      <div className="flex h-[75dvh] min-h-0 min-w-0 flex-col gap-2 lg:h-auto">
        <Find words={find.words} hits={find.hits.length} here={find.here} onType={find.type} onStep={find.step} />
        {blocks.length === 0 && <p className="text-soft">Every section is empty or could not be read.</p>}
        <PromptText
          document={document}
          rows={rows}
          marksOf={marksOf}
          about={about}
          partTokens={request.tokens}
          line={lineText(request.tokens.prefix, { min: request.cacheMin, tools: request.tokens.tools })}
          look={look}
          cursor={word.at}
          editing={
            editing && {
              section: editing.section,
              editor: (
                <Suspense fallback={<Loading />}>
                  <EditInPlace whose={about} section={editing.section} from={editing.from} onClose={close} />
                </Suspense>
              ),
            }
          }
          onCursor={(at) => {
            word.move(at);
            setLook({ at: at.start, align: "auto" });
          }}
          onOpen={word.choose}
          onClose={word.close}
          onFold={fold}
          onEdit={request.sent ? undefined : edit}
        />
      </div>
      <aside className="col-span-2 min-h-0 min-w-0 space-y-5 xl:col-span-1 xl:overflow-y-auto">
        {beside && panel}
        {limit.isReached && (
          <LimitPanel
            range={limit.range}
            value={limit.value}
            assembling={limit.assembling}
            request={request}
            onChoose={limit.onChoose}
            onShow={toCut}
          />
        )}
        {!(beside && panel) && (
          <Aside request={request} about={about} gone={gone} isLimited={limit.value !== undefined} />
        )}
      </aside>
      {!beside && panel && (
        <div className="fixed inset-x-0 bottom-0 z-30 max-h-[60dvh] overflow-y-auto border-line border-t bg-card p-4 shadow-2xl">
          {panel}
        </div>
      )}
    </div>
  );
}

/** The limit that is tried out, and what the prompt would be within it: worked out here, once somebody reaches for it. */
function useLimit(wanted: Wanted, { channel }: NextRequestAnswer) {
  const [, change] = useAsked();
  const [drawn, setDrawn] = useState<number>();
  const [reached, setReached] = useState(false);
  const value = drawn ?? wanted.tokens;
  const isReached = reached || value !== undefined;
  const here: Wanted = { ...wanted, channel: wanted.channel ?? channel ?? undefined };
  const assembling = useAssembled(value === undefined ? undefined : { ...here, tokens: value });
  const range = useRange(isReached ? { ...here, tokens: undefined } : undefined);
  return {
    value,
    range,
    isReached,
    assembling,
    fitted: assembling.problem ? undefined : assembling.data,
    onReach: () => setReached(true),
    onDrag: setDrawn,
    onChoose: (tokens: number | undefined) => {
      setDrawn(undefined);
      change({ tokens: tokens?.toString() });
    },
  };
}

function cachedOf({ billed, predicted }: NextRequestAnswer) {
  if (billed) return { tokens: billed.read, how: "billed" as const };
  return predicted ? { tokens: predicted.read, how: "predicted" as const } : undefined;
}

type AsideProps = {
  readonly request: NextRequestAnswer;
  readonly about: Whose;
  /** Sections that the request it is compared with had. */
  readonly gone: readonly string[];
  /** A smaller limit is tried out: what gives way is told there. */
  readonly isLimited: boolean;
};

/** Whose words it is made of, what was changed last, what gave way, and what is not in it at all. */
function Aside({ request, about, gone, isLimited }: AsideProps) {
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

type FindProps = {
  readonly words: string;
  readonly hits: number;
  /** Which of them is looked at. */
  readonly here: number;
  readonly onType: (words: string) => void;
  readonly onStep: (by: 1 | -1) => void;
};

/** Finds words in the whole text, of which the browser knows only what is drawn. */
export function Find({ words, hits, here, onType, onStep }: FindProps) {
  const none = words !== "" && hits === 0;
  return (
    <search className="flex min-w-0 shrink-0 items-center gap-2">
      <Input
        type="search"
        aria-label="Find in the prompt"
        placeholder="Find in the prompt"
        className="lg:max-w-72"
        value={words}
        onChange={({ target }) => onType(target.value)}
        onKeyDown={({ key, shiftKey }) => key === "Enter" && onStep(shiftKey ? -1 : 1)}
      />
      {words !== "" && (
        <>
          <span role="status" className={`whitespace-nowrap text-xs tabular-nums ${none ? "text-bad" : "text-soft"}`}>
            {none ? "not found" : `${count(here + 1)} of ${count(hits)}${hits === maxHits ? "+" : ""}`}
          </span>
          <Button kind="quiet" className="px-2!" aria-label="Previous match" disabled={none} onClick={() => onStep(-1)}>
            <Icon of={ArrowUp} />
          </Button>
          <Button kind="quiet" className="px-2!" aria-label="Next match" disabled={none} onClick={() => onStep(1)}>
            <Icon of={ArrowDown} />
          </Button>
        </>
      )}
    </search>
  );
}

const none: readonly Mark[] = [];

/** Words that are looked for in the text: where they stand, and which of them is looked at. */
function useFind(text: string, sections: readonly Stretch[]) {
  const [asked, change] = useAsked();
  const [words, setWords] = useTyped(asked("find") ?? "", (find) => change({ find }));
  const [step, setStep] = useState(0);
  const sought = useDeferredValue(words);
  const hits = useMemo(() => hitsOf(text, sections, sought), [text, sections, sought]);
  const here = hits.length === 0 ? 0 : ((step % hits.length) + hits.length) % hits.length;
  const marks = useMemo(
    () => (hits.length === 0 ? none : hits.map((hit, at): Mark => ({ ...hit, kind: at === here ? "here" : "hit" }))),
    [hits, here],
  );
  return {
    words,
    hits,
    here,
    marks,
    type: (next: string) => {
      setWords(next);
      setStep(0);
    },
    step: (by: 1 | -1) => setStep(here + by),
  };
}

/** More are counted by nobody. */
export const maxHits = 10_000;

/** Where words stand in the text, whatever their case, in the order the sections are shown in. */
export function hitsOf(text: string, sections: readonly Stretch[], words: string): readonly Stretch[] {
  if (words === "") return [];
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  const hits: Stretch[] = [];
  for (const { start, end } of sections)
    for (const { 0: found, index } of text.slice(start, end).matchAll(pattern)) {
      hits.push({ start: start + index, end: start + index + found.length });
      if (hits.length === maxHits) return hits;
    }
  return hits;
}
