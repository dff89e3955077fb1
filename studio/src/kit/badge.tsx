import type { ReactNode } from "react";

export type Tone = "plain" | "good" | "bad" | "wait" | "fixed" | "amendable" | "live";

const tones: Readonly<Record<Tone, string>> = {
  plain: "border-line bg-raised text-ink",
  good: "border-good/40 text-good",
  bad: "border-bad/40 text-bad",
  wait: "border-wait/40 text-wait",
  fixed: "border-transparent bg-fixed-tint text-fixed-ink",
  amendable: "border-transparent bg-amendable-tint text-amendable-ink",
  live: "border-transparent bg-live-tint text-live-ink",
};

/** A word or two about a thing, beside its name. */
export function Badge({
  tone = "plain",
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ReactNode;
}) {
  return (
    <span
      title={title}
      className={`inline-flex max-w-full items-center gap-1 rounded border px-1.5 text-xs leading-5 [overflow-wrap:anywhere] ${tones[tone]}`}
    >
      {children}
    </span>
  );
}
