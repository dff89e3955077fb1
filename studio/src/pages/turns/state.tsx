import { MarkIcon } from "../../billing/mark-icon.tsx";
import type { Sample } from "../../billing/sample.ts";
import { Badge } from "../../kit/icon.tsx";

/** How a turn ended, or that it has not. */
export function TurnState({ state }: Pick<Sample, "state">) {
  if (state === "answered")
    return (
      <Badge tone="good">
        <span className="whitespace-nowrap">answered</span>
      </Badge>
    );
  const tone = { running: "live", failed: "bad", interrupted: "bad", erased: "plain" } as const;
  return (
    <Badge tone={tone[state]}>
      <MarkIcon kind={state} size={11} />
      <span className="whitespace-nowrap">{state}</span>
    </Badge>
  );
}
