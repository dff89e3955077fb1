import type { ReactNode } from "react";
import { Link } from "wouter";

const edges = { good: "border-s-good", bad: "border-s-bad", wait: "border-s-wait" } as const;

type Way = { readonly href: string; readonly words: string };

/** Something that happened to the prompt, in the flow: what, to which section or tool, and the way to its place. */
export function Card({
  tone,
  label,
  title,
  to,
  also,
  children,
}: {
  readonly tone: keyof typeof edges;
  /** What it is, for whoever cannot see its colour. */
  readonly label: string;
  readonly title: ReactNode;
  readonly to: Way;
  /** Another place it can be seen at. */
  readonly also?: Way;
  readonly children?: ReactNode;
}) {
  return (
    <section
      aria-label={label}
      className={`rounded-md border border-line border-s-4 bg-card px-3 py-2 text-sm ${edges[tone]}`}
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <p className="min-w-0 [overflow-wrap:anywhere]">{title}</p>
        <span className="flex flex-wrap gap-x-4">
          {[to, ...(also ? [also] : [])].map(({ href, words }) => (
            <Link key={words} href={href} className="whitespace-nowrap text-accent text-xs underline">
              {words}
            </Link>
          ))}
        </span>
      </div>
      {children}
    </section>
  );
}
