import { useEffect, useMemo, useRef, useState } from "react";
import { useAsked } from "../../app/place.ts";
import type { Assembled, Wanted } from "../../assembly/assembled.ts";
import { cacheRuleOf, placedSections } from "../../assembly/placed.ts";
import { useLatestChange } from "../../cause/latest-change.ts";
import { useSize } from "../../kit/size.ts";
import { useWide } from "../../kit/wide.ts";
import { Strata } from "../../strata/strata.tsx";
import { Aside } from "./aside.tsx";
import { Find } from "./find.tsx";
import { Gone } from "./gone.tsx";
import { Legend } from "./legend.tsx";
import type { Mark } from "./piece.ts";
import { rowsOf } from "./row.ts";
import { PromptText, type TextProps } from "./text.tsx";
import { useFind } from "./use-find.ts";
import { useWord } from "./word/use-word.ts";
import { WordPanel } from "./word/word-panel.tsx";

export type ViewProps = {
  readonly assembled: Assembled;
  readonly wanted: Wanted;
  /** Tokens that fill the picture's height; those of the prompt, unless said. */
  readonly scale?: number | undefined;
};

/** The picture, the text beside it, and what is to be said of either. */
export function View({ assembled, wanted, scale }: ViewProps) {
  const [asked, change] = useAsked();
  const { text } = assembled;
  const sections = useMemo(() => placedSections(assembled), [assembled]);
  const rows = useMemo(() => rowsOf(text, sections), [text, sections]);
  const prefixTokens = useMemo(
    () => sections.reduce((sum, section) => sum + (section.tail ? 0 : section.tokens), 0),
    [sections],
  );
  const kept = useMemo(() => sections.reduce((sum, { tokens }) => sum + tokens, 0), [sections]);
  const [lit, setLit] = useState<string>();
  const [look, setLook] = useState<TextProps["look"]>();
  const word = useWord(text, sections);
  const find = useFind(text, sections);
  const marks = useMemo(
    () => [...find.marks, ...(word.at ? [{ ...word.at, kind: "word" } satisfies Mark] : [])],
    [find.marks, word.at],
  );
  const selected = asked("section");
  const latest = useLatestChange(wanted.agent, wanted.user);
  const toSection = (name: string) => {
    const at = sections.find((section) => section.name === name)?.start;
    if (at !== undefined) setLook({ at, align: "start" });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the address names another, not when the prompt changes.
  useEffect(() => {
    if (selected !== undefined) toSection(selected);
  }, [selected]);
  const sought = find.hits[find.here]?.start;
  useEffect(() => {
    if (sought !== undefined) setLook({ at: sought, align: "center" });
  }, [sought]);
  // A word that the address names is brought into view once; one that was clicked is in view.
  const [named, setNamed] = useState(word.open);
  useEffect(() => {
    if (!named || !word.at) return;
    setNamed(false);
    setLook({ at: word.at.start, align: "center" });
  }, [named, word.at]);
  const picture = useRef<HTMLDivElement>(null);
  const { height } = useSize(picture);
  const beside = useWide(1280);
  const panel = word.open && word.at && (
    <WordPanel assembled={assembled} sections={sections} wanted={wanted} word={word.at} onClose={word.close} />
  );
  return (
    <div className="grid gap-4 lg:h-[max(30rem,calc(100dvh-17rem))] lg:grid-cols-[15rem_minmax(0,1fr)] xl:grid-cols-[15rem_minmax(0,1fr)_16rem] 2xl:grid-cols-[18rem_minmax(0,1fr)_24rem]">
      <div className="flex min-h-0 min-w-0 flex-col gap-2">
        <div ref={picture} className="relative h-60 min-h-0 lg:h-auto lg:flex-1">
          <Strata
            strata={sections}
            height={height}
            label="Sections by tokens"
            selected={selected}
            scale={scale ?? 0}
            cache={cacheRuleOf(assembled)}
            news={latest && { name: latest.section, words: latest.lines ?? "changed" }}
            onHover={setLit}
            onSelect={(name) => {
              change({ section: name });
              toSection(name);
            }}
          />
          <Gone whole={scale ?? 0} kept={kept} height={height} />
        </div>
        <Legend sections={sections} />
      </div>
      <div className="flex h-[75dvh] min-h-0 min-w-0 flex-col gap-2 lg:h-auto">
        <Find words={find.words} hits={find.hits.length} here={find.here} onType={find.type} onStep={find.step} />
        <PromptText
          assembled={assembled}
          sections={sections}
          rows={rows}
          prefixTokens={prefixTokens}
          marks={marks}
          lit={lit}
          look={look}
          cursor={word.at}
          onCursor={(at) => {
            word.move(at);
            setLook({ at: at.start, align: "auto" });
          }}
          onOpen={word.choose}
          onClose={word.close}
        />
      </div>
      <aside className="min-h-0 min-w-0 lg:col-span-2 xl:col-span-1 xl:overflow-y-auto">
        {beside && panel ? panel : <Aside assembled={assembled} wanted={wanted} latest={latest} />}
      </aside>
      {!beside && panel && (
        <div className="fixed inset-x-0 bottom-0 z-30 max-h-[60dvh] overflow-y-auto border-line border-t bg-card p-4 shadow-2xl">
          {panel}
        </div>
      )}
    </div>
  );
}
