import type { SectionAnswer } from "charter/answers";
import { Suspense, useEffect, useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { sectionPath, type Whose } from "../../api/request.ts";
import { Loading, Trouble } from "../../app/page.tsx";
import { BothTextsPanel, WordsEditor } from "../../editor/both-texts-panel.tsx";
import { SavePanel } from "../../editor/save-panel.tsx";
import { useAmending } from "../../editor/use-amending.ts";
import { useObjections, useVerdict } from "../../editor/verdict.tsx";
import { Button } from "../../kit/field.tsx";

type EditProps = {
  readonly whose: Whose;
  readonly section: string;
  /** Words to go on from, where a change is taken back that later ones stand on. */
  readonly from: string | undefined;
  readonly onClose: () => void;
};

/** A section, opened in the document: its words, what the checks say to them, and what they would cost. */
export default function EditInPlace({ whose, section, from, onClose }: EditProps) {
  const { data, error } = useApi<SectionAnswer>(sectionPath(whose, section));
  return (
    <section aria-label={`Edit ${section}`} className="@container max-w-[60rem] space-y-3">
      <Trouble problem={error} />
      {data?.name === section ? (
        <Open key={from ?? ""} whose={whose} section={data} from={from} onClose={onClose} />
      ) : (
        !error && <Loading />
      )}
    </section>
  );
}

type OpenProps = Omit<EditProps, "section"> & { readonly section: SectionAnswer };

function Open({ whose, section, from, onClose }: OpenProps) {
  const amending = useAmending(whose, section);
  const { stands, text, typing, done } = amending;
  const [undoing, setUndoing] = useState(from !== undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens.
  useEffect(() => {
    if (from !== undefined) amending.goOnFrom(from);
  }, []);
  const checked = typing !== "clean";
  const judged = useVerdict({ ...whose, section: section.name, text, revision: stands.revision, asked: checked });
  const objections = useObjections(judged);
  useEffect(() => {
    if (done?.kind === "amended" || done?.kind === "unchanged") onClose();
  }, [done, onClose]);
  const both = checked && (undoing || amending.bothShown || typing === "stale");
  return (
    <>
      {undoing && (
        <p className="text-sm text-soft">
          The change is taken back in your text, which you can go on editing; later changes stay as they are.
        </p>
      )}
      {both ? (
        <BothTextsPanel section={section.name} amending={amending} newest={undefined} />
      ) : (
        <div className="overflow-hidden rounded-lg border border-line bg-card focus-within:border-soft">
          <Suspense fallback={<Loading />}>
            <WordsEditor
              label={`Text of “${section.name}”`}
              value={text}
              onText={amending.type}
              objections={objections}
              className="[&_.cm-content]:min-h-24 [&_.cm-scroller]:max-h-[50dvh] [&_.cm-scroller]:overflow-auto"
            />
          </Suspense>
        </div>
      )}
      {typing === "stale" && (
        <Button onClick={amending.keepMine}>Keep mine, based on revision {stands.revision}</Button>
      )}
      {done?.kind === "failed" && <Trouble problem={done.problem} />}
      {done?.kind === "held" && (
        <p role="status" className="text-sm text-wait">
          It waits for approval.
        </p>
      )}
      {checked ? (
        <SavePanel whose={whose} section={section.name} amending={amending} judged={judged} />
      ) : (
        <Button onClick={onClose}>Close</Button>
      )}
      {checked && (
        <Button
          kind="quiet"
          onClick={() => {
            setUndoing(false);
            onClose();
          }}
        >
          Close, keep the draft
        </Button>
      )}
    </>
  );
}
