import type { SectionAnswer } from "charter/answers";
import { Suspense, useEffect, useId, useMemo, useRef, useState } from "react";
import { Loading } from "../../app/page.tsx";
import { useAsked } from "../../app/place.ts";
import { BothTextsPanel } from "../../editor/both-texts-panel.tsx";
import { WordsEditor } from "../../editor/lazy.ts";
import { type Objection, objectionsIn } from "../../editor/objection.ts";
import { SavePanel } from "../../editor/save-panel.tsx";
import { useAmending, type Whose } from "../../editor/use-amending.ts";
import { type Judged, useVerdict } from "../../editor/use-verdict.ts";
import { Button } from "../../kit/field.tsx";
import { onDemand } from "../../kit/on-demand.ts";
import { LongText } from "../../kit/text/long-text.tsx";
import { Conflicts } from "./core/conflicts.tsx";
import { CorePanel } from "./core/core-panel.tsx";
import { LockedNotice } from "./core/locked-notice.tsx";
import { type Core, whyLocked } from "./core/use-core.ts";
import { DoneNotice } from "./done-notice.tsx";
import { History } from "./history/history.tsx";
import { useHistory } from "./history/use-history.ts";
import { ResetDialog } from "./reset-dialog.tsx";
import { AsideNotice, StaleNotice } from "./stale-notice.tsx";

const Authors = onDemand(() => import("./history/authors.tsx"));

/** An amendable section: its words in an editor, what the checks say to them, and how they came to be. */
export function Amendable({ whose, section, core }: AmendableProps) {
  const locked = whyLocked(core);
  const amending = useAmending(whose, section, locked !== undefined);
  const history = useHistory(whose, section.name);
  const [asked, setAsked] = useAsked();
  const authors = asked("view") === "authors";
  const [marked, setMarked] = useState(false);
  const [resetting, setResetting] = useState(false);
  const hint = useId();
  const words = useRef<HTMLElement>(null);
  const { stands, text, typing, bothShown, save } = amending;
  useSaveKey(save);
  // Words that were begun earlier are judged as if they were kept on top of the current ones.
  const checked = typing !== "clean" && !amending.locked;
  const judged = useVerdict({ ...whose, section: section.name, text, revision: stands.revision, asked: checked });
  const objections = useObjections(judged);
  const edit = (from: string) => {
    amending.goOnFrom(from);
    setAsked({ view: undefined });
    words.current?.scrollIntoView({ block: "nearest" });
    words.current?.querySelector<HTMLElement>("[role=textbox]")?.focus();
  };
  const onEdit = locked === undefined ? edit : undefined;
  const readOnly = locked !== undefined && typing === "clean";
  const openReset = () => {
    amending.dismiss();
    setResetting(true);
  };
  const newest = history.amendments.find(({ revision }) => revision === stands.revision);
  return (
    <>
      {core && (
        <CorePanel agent={whose.agent} core={core}>
          <Conflicts
            {...{ whose, onEdit }}
            section={section.name}
            conflicts={core.report?.conflicts ?? []}
            stands={stands.revision}
            told={amending.done?.kind === "amended" ? amending.done.publication?.id : undefined}
          />
        </CorePanel>
      )}
      <div className="grid items-start gap-6 @5xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="@container min-w-0 space-y-3">
          {typing === "stale" && <StaleNotice amending={amending} newest={newest} />}
          {typing === "clean" && <AsideNotice amending={amending} />}
          {!section.amendableBy.includes("operator") && (
            <p className="px-1 text-sm text-soft">
              Operators may not change this section. What you write here will be refused.
            </p>
          )}
          {locked !== undefined && <LockedNotice why={locked} typing={typing} text={text} />}
          {bothShown ? (
            <BothTextsPanel section={section.name} amending={amending} newest={newest} />
          ) : (
            <section
              ref={words}
              aria-label="Text"
              className="overflow-hidden rounded-lg border border-line bg-card focus-within:border-soft"
            >
              <div className="flex flex-wrap items-center gap-1 border-line border-b px-2 py-1.5">
                <Choice chosen={!authors} onChoose={() => setAsked({ view: undefined })}>
                  Write
                </Choice>
                <Choice chosen={authors} onChoose={() => setAsked({ view: "authors" })}>
                  Who wrote it
                </Choice>
                {!authors && typing !== "clean" && (
                  <label className="flex min-h-8 items-center gap-1.5 px-2 text-sm text-soft">
                    <input type="checkbox" checked={marked} onChange={({ target }) => setMarked(target.checked)} />
                    Mark changes
                  </label>
                )}
                {stands.revision > 0 && (
                  <Button kind="quiet" className="ml-auto" disabled={amending.locked} onClick={openReset}>
                    Reset…
                  </Button>
                )}
              </div>
              {authors ? (
                <Suspense fallback={<Loading />}>
                  <Authors whose={whose} section={section} />
                </Suspense>
              ) : (
                <>
                  <Suspense fallback={<LongText text={text} className="min-h-44 p-4 font-mono text-sm" />}>
                    <WordsEditor
                      key={readOnly ? "read" : "write"}
                      readOnly={readOnly}
                      label={`Text of “${section.name}”`}
                      describedBy={hint}
                      value={text}
                      onText={amending.type}
                      objections={objections}
                      against={marked && typing !== "clean" ? stands.text : undefined}
                      className="[&_.cm-content]:min-h-40 [&_.cm-scroller]:max-h-[55dvh] [&_.cm-scroller]:overflow-auto"
                    />
                  </Suspense>
                  <p id={hint} className="border-line border-t px-3 py-1 text-soft text-xs">
                    {readOnly ? (
                      "Markdown, read-only."
                    ) : (
                      <>
                        Markdown.{" "}
                        <span className="pointer-coarse:hidden">
                          Tab indents; Escape, then Tab, leaves the editor. Ctrl+S (⌘S) saves.
                        </span>
                      </>
                    )}
                  </p>
                </>
              )}
            </section>
          )}
          {!(amending.locked && amending.done?.kind === "amended") && (
            <DoneNotice whose={whose} section={section.name} amending={amending} onEdit={onEdit} />
          )}
          {checked && <SavePanel whose={whose} section={section.name} amending={amending} judged={judged} />}
        </div>
        <History whose={whose} section={section} history={history} amending={amending} />
        {resetting && <ResetDialog section={section} amending={amending} onClose={() => setResetting(false)} />}
      </div>
    </>
  );
}

/** What is objected to, while the verdict is about the very words that are shown. */
function useObjections({ verdict, checking, about }: Judged): readonly Objection[] | undefined {
  return useMemo(() => {
    if (checking || (verdict?.kind !== "refused" && verdict?.kind !== "held")) return undefined;
    return objectionsIn(about, verdict.judged, verdict.refusals);
  }, [verdict, checking, about]);
}

type AmendableProps = {
  readonly whose: Whose;
  readonly section: SectionAnswer;
  /** Where its words are also kept on relays: what was found there. */
  readonly core?: Core | undefined;
};

function Choice({
  chosen,
  onChoose,
  children,
}: {
  readonly chosen: boolean;
  readonly onChoose: () => void;
  readonly children: string;
}) {
  return (
    <button
      type="button"
      aria-pressed={chosen}
      onClick={onChoose}
      className={`min-h-8 rounded-md px-2.5 text-sm ${chosen ? "bg-raised font-medium" : "text-soft hover:text-ink"}`}
    >
      {children}
    </button>
  );
}

/** Ctrl+S or ⌘S saves the words instead of the page. */
function useSaveKey(save: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      save();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [save]);
}
