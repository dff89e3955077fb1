import { Suspense } from "react";
import { Loading } from "../../app/page.tsx";
import { BothTexts, WordsEditor } from "../../editor/lazy.ts";
import type { Amending } from "../../editor/use-amending.ts";
import { useWidth } from "../../kit/width.ts";
import type { Amendment } from "./history/use-history.ts";

/** Narrower than this two texts do not fit side by side: then what differs is marked in one's own. */
const narrow = 560;

/** Both texts: theirs, which stands, and one's own, which can be edited into a merge of both. */
export function BothTextsPanel({
  section,
  amending,
  newest,
}: {
  readonly section: string;
  readonly amending: Amending;
  readonly newest: Amendment | undefined;
}) {
  const [panel, width] = useWidth<HTMLElement>();
  const { stands, unsaved, text, type } = amending;
  const labels = {
    theirs: `Theirs: revision ${stands.revision} of “${section}”, which stands`,
    mine: `Yours, begun at revision ${unsaved?.revision}`,
  };
  return (
    <section ref={panel} aria-label="Both texts" className="overflow-hidden rounded-lg border border-line bg-card">
      <div className="grid border-line border-b bg-raised text-xs sm:grid-cols-2">
        <p className="px-3 py-1.5">
          <strong>Theirs</strong>, revision {stands.revision}, which stands
          {newest && ` (by the ${newest.actor})`}
        </p>
        <p className="px-3 py-1.5">
          <strong>Yours</strong>, begun at revision {unsaved?.revision}:{" "}
          {width < narrow
            ? "below, with what theirs has besides marked in red, and what yours has in green"
            : "edit it, or take over what you like of theirs"}
        </p>
      </div>
      <Suspense fallback={<Loading what="Both texts are being laid out…" />}>
        {width === 0 ? null : width < narrow ? (
          <WordsEditor label={labels.mine} value={text} onText={type} against={stands.text} folded />
        ) : (
          <BothTexts theirs={stands.text} mine={text} onMine={type} labels={labels} />
        )}
      </Suspense>
    </section>
  );
}
