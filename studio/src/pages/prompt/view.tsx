import type { NextRequestAnswer } from "charter/answers";
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import { useAsked } from "../../app/place.ts";
import type { Wanted } from "../../assembly/assembled.ts";
import { useAssembled, useRange } from "../../assembly/use-assembled.ts";
import { useWide } from "../../kit/window.ts";
import { lineText } from "../../strata/layout.ts";
import { Aside } from "./aside.tsx";
import { type Block, changedSince, cutBy, documentOf, goneSince } from "./document.ts";
import { EditInPlace } from "./edit-in-place.tsx";
import { Find } from "./find.tsx";
import { LimitPanel } from "./limit-panel.tsx";
import type { Mark } from "./piece.ts";
import { Ribbon } from "./ribbon.tsx";
import { rowsOf } from "./row.ts";
import { PromptText } from "./text.tsx";
import { useFind } from "./use-find.ts";
import { useWord } from "./word/use-word.ts";
import { WordPanel } from "./word/word-panel.tsx";

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
  // While the edge is drawn the page follows it; what is struck in the text may come a moment later.
  const fitted = useDeferredValue(limit.value === undefined ? undefined : limit.fitted);
  const cuts = useMemo(() => (fitted ? cutBy(document, fitted) : []), [document, fitted]);
  const news = useMemo(() => (earlier ? changedSince(document, earlier) : []), [document, earlier]);
  const gone = useMemo(() => (earlier ? goneSince(document, earlier) : []), [document, earlier]);
  const marks = useMemo(
    () => [
      ...news.map((one): Mark => ({ ...one, kind: "new" })),
      ...cuts.map((one): Mark => ({ ...one, kind: "cut" })),
      ...find.marks,
      ...(word.at ? [{ ...word.at, kind: "word" } satisfies Mark] : []),
    ],
    [news, cuts, find.marks, word.at],
  );
  const partTokens = useMemo(() => {
    const { tools, prefix, history, state } = request.tokens;
    return { tools, prefix, history, state };
  }, [request]);
  const selected = asked("section");
  const toBlock = (name: string) => {
    const at = blocks.findLast((block) => block.name === name)?.start;
    if (at !== undefined) setLook({ at, align: "start" });
  };
  /** To the first words of a section that the limit leaves out; where all of it is there, to its beginning. */
  const toCut = (name: string) => {
    const block = blocks.findLast((block) => block.name === name);
    const cut = block && cuts.find(({ start }) => start >= block.start && start < block.end);
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
    <div className="grid grid-cols-[2.75rem_minmax(0,1fr)] gap-x-2 gap-y-4 sm:grid-cols-[4rem_minmax(0,1fr)] sm:gap-x-4 lg:h-[max(30rem,calc(100dvh-15rem))] xl:grid-cols-[4.5rem_minmax(0,1fr)_20rem]">
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
          marks={marks}
          about={about}
          partTokens={partTokens}
          line={lineText(partTokens.prefix, { min: request.cacheMin, tools: partTokens.tools })}
          look={look}
          cursor={word.at}
          editing={
            editing && {
              section: editing.section,
              editor: <EditInPlace whose={about} section={editing.section} from={editing.from} onClose={close} />,
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
