import type { ReactNode } from "react";
import { fromNow } from "../../kit/words.ts";

const inks = { good: "", wait: "text-wait", bad: "text-bad" } as const;

type FigureProps = {
  readonly name: string;
  readonly value: string;
  readonly tone?: keyof typeof inks;
  readonly children: ReactNode;
};

/** One figure: its name, the figure, and what is to be said of it. */
export function Figure({ name, value, tone = "good", children }: FigureProps) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-card px-4 py-3">
      <dt className="text-soft text-xs">{name}</dt>
      <dd className={`font-semibold text-xl tabular-nums tracking-tight [overflow-wrap:anywhere] ${inks[tone]}`}>
        {value}
      </dd>
      <dd className="text-pretty text-soft text-xs">{children}</dd>
    </div>
  );
}

/** When something came, as people say it. */
export function cameWords(at: string, now: number): string {
  const words = fromNow(Date.parse(at), now);
  return words === "now" ? "just now" : words;
}
