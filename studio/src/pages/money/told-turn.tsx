import type { ReactNode } from "react";
import { placeOf } from "../../app/place.ts";
import { To, ToUser } from "../../billing/links.tsx";
import type { Sample } from "../../billing/sample.ts";
import { timeText } from "../../kit/words.ts";

/** When a turn was, which leads to it. */
export function TurnTime({ agent, sample }: { readonly agent: string; readonly sample: Sample }) {
  return <To href={placeOf(agent, "turns", sample.turn)}>{timeText(sample.startedAt)}</To>;
}

/** The turn one looks at in a chart, and what the chart says of it. */
export function ToldTurn(props: {
  readonly agent: string;
  readonly sample: Sample | undefined;
  readonly children: ReactNode;
}) {
  const { agent, sample, children } = props;
  if (!sample) return null;
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 tabular-nums">
      <TurnTime agent={agent} sample={sample} />
      <ToUser agent={agent} user={sample.scope.user} />
      {children}
      <span dir="auto" className="min-w-0 max-w-full truncate text-soft">
        {sample.input}
      </span>
    </div>
  );
}
