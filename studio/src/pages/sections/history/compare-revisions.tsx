import type { HistoryAnswer, SectionAnswer } from "charter/answers";
import { useApi } from "../../../api/query-client.ts";
import { Card, Loading, Trouble } from "../../../app/page.tsx";
import { useAsked } from "../../../app/place.ts";
import type { Whose } from "../../../editor/use-amending.ts";
import { Button, Field, Input } from "../../../kit/field.tsx";
import { SideBySide } from "../../../kit/text/diff.tsx";
import { revisionIn, textOf } from "./revision-text.ts";
import { historyPath } from "./use-history.ts";

/** Any two revisions, side by side; the address says which. */
export function CompareRevisions({
  whose,
  section,
  newest,
}: {
  readonly whose: Whose;
  readonly section: SectionAnswer;
  readonly newest: number;
}) {
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
      {problem && <Trouble problem={problem} />}
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
