import { plural } from "../../kit/words.ts";
import type { Waiting as One } from "./flow.ts";
import { HeldCard } from "./held-card.tsx";

/** What waits for a person and stands in no turn above. */
export function Waiting({
  of,
  onDecided,
}: {
  readonly of: readonly One[];
  readonly onDecided: (goesOn: boolean) => void;
}) {
  if (of.length === 0) return null;
  return (
    <details open={of.length === 1} className="rounded-md border border-line px-3 py-2">
      <summary className="text-sm text-wait">
        {of.length === 1 ? "1 approval is waiting" : `${plural(of.length, "approval")} are waiting`}
      </summary>
      <div className="mt-2 space-y-2">
        {of.map((one) => (
          <HeldCard key={one.held} of={one} onDecided={onDecided} />
        ))}
      </div>
    </details>
  );
}
