import { Suspense } from "react";
import { Loading } from "../app/page.tsx";
import { onDemand } from "../kit/on-demand.ts";
import { useSize } from "../kit/window.ts";
import type { Amending } from "./use-amending.ts";

/** Narrower than this two texts do not fit side by side: then what differs is marked in one's own. */
const narrow = 560;

type BothTextsPanelProps = {
  readonly section: string;
  readonly amending: Amending;
  readonly newest: { readonly actor: string } | undefined;
};

/** Both texts: theirs, which stands, and one's own, which can be edited into a merge of both. */
export function BothTextsPanel({ section, amending, newest }: BothTextsPanelProps) {
  const [panel, { width }] = useSize<HTMLElement>();
  const { stands, unsaved, text, type } = amending;
  const labels = {
    theirs: `Theirs: revision ${stands.revision} of “${section}”, the current text`,
    mine: `Yours, started from revision ${unsaved?.revision}`,
  };
  return (
    <section ref={panel} aria-label="Both texts" className="overflow-hidden rounded-lg border border-line bg-card">
      <div className="grid border-line border-b bg-raised text-xs sm:grid-cols-2">
        <p className="px-3 py-1.5">
          <strong>Theirs</strong>, revision {stands.revision}, the current text
          {newest && ` (by the ${newest.actor})`}
        </p>
        <p className="px-3 py-1.5">
          <strong>Yours</strong>, started from revision {unsaved?.revision}:{" "}
          {width < narrow
            ? "below. Red: only in theirs. Green: only in yours"
            : "edit it, or copy parts of theirs into it"}
        </p>
      </div>
      <Suspense fallback={<Loading what="Loading both texts…" />}>
        {width === 0 ? null : width < narrow ? (
          <WordsEditor label={labels.mine} value={text} onText={type} against={stands.text} folded />
        ) : (
          <BothTexts theirs={stands.text} mine={text} onMine={type} labels={labels} />
        )}
      </Suspense>
    </section>
  );
}

/** The editors, with their libraries, come when something is edited. */
export const WordsEditor = onDemand(() => import("./words-editor.tsx"));
export const BothTexts = onDemand(() => import("./both-texts.tsx"));
