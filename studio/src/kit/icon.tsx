import { Lock, type LucideIcon, Pencil, Radio } from "lucide-react";
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

type BadgeProps = { readonly tone?: Tone; readonly title?: string; readonly children: ReactNode };

/** A word or two about a thing, beside its name. */
export function Badge({ tone = "plain", title, children }: BadgeProps) {
  return (
    <span
      title={title}
      className={`inline-flex max-w-full items-center gap-1 rounded border px-1.5 text-xs leading-5 [overflow-wrap:anywhere] ${tones[tone]}`}
    >
      {children}
    </span>
  );
}

/** A picture beside words that say the same; alone only in a button that has a name. All of them are of one set, Lucide. */
export function Icon({ of: Shape, className = "size-4" }: { readonly of: LucideIcon; readonly className?: string }) {
  return <Shape aria-hidden="true" strokeWidth={1.75} className={`shrink-0 ${className}`} />;
}

/** Who may change a section: nobody, the actors of its layer, or code in each turn. */
export const mutabilityIcons: Readonly<Record<"fixed" | "amendable" | "live", LucideIcon>> = {
  fixed: Lock,
  amendable: Pencil,
  live: Radio,
};

/** A lock, a pencil or a signal, with the word. */
export function Mutability({ of }: { readonly of: keyof typeof mutabilityIcons }) {
  return (
    <span className="inline-flex items-baseline gap-1 text-sm text-soft">
      <Icon of={mutabilityIcons[of]} className="size-3.5 self-center" />
      {of}
    </span>
  );
}

/** How much of something there was, day by day, as a line as small as a word. */
export function Spark({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const most = Math.max(1, ...values);
  const step = 60 / Math.max(1, values.length - 1);
  const points = values.map((value, at) => `${(at * step + 2).toFixed(1)},${(17 - (value / most) * 14).toFixed(1)}`);
  return (
    <svg role="img" aria-label={`${label}: ${values.join(", ")}`} viewBox="0 0 64 20" className="inline-block h-5 w-16">
      <polyline points={points.join(" ")} className="fill-none stroke-accent stroke-[1.5]" />
    </svg>
  );
}
