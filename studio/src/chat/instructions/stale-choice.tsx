import { Button } from "../../kit/field.tsx";
import { Diff } from "../kit/diff.tsx";

/** The text was changed while one was writing: which of both is to hold. */
export function StaleChoice({
  theirs,
  mine,
  onTheirs,
  onMine,
}: {
  readonly theirs: string;
  readonly mine: string;
  readonly onTheirs: () => void;
  readonly onMine: () => void;
}) {
  return (
    <div role="alert" className="space-y-2 rounded-xl border border-wait/40 p-3">
      <p className="text-sm">The text was changed while you were writing. This is how yours differs from it now:</p>
      <Diff before={theirs} after={mine} />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" onClick={onMine}>
          Save mine
        </Button>
        <Button onClick={onTheirs}>Keep the other</Button>
      </div>
    </div>
  );
}
