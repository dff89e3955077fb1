import type { ReactNode } from "react";

/** Something in a turn that is worth a look, or how it ended where it did not end well. */
type Mark = "amended" | "refused" | "held" | "failed" | "interrupted" | "erased" | "running" | "broken";

const colours: Readonly<Record<Mark, string>> = {
  amended: "text-amendable-ink",
  refused: "text-bad",
  held: "text-wait",
  failed: "text-bad",
  interrupted: "text-bad",
  erased: "text-soft",
  running: "text-live-ink",
  broken: "text-bad",
};

const shapes: Readonly<Record<Mark, ReactNode>> = {
  amended: <path d="M6 1 11 11H1Z" fill="currentColor" />,
  refused: <path d="m2 2 8 8M10 2 2 10" stroke="currentColor" strokeWidth="2.4" fill="none" />,
  held: <path d="M3.5 1.5v9M8.5 1.5v9" stroke="currentColor" strokeWidth="2.8" fill="none" />,
  failed: (
    <>
      <circle cx="6" cy="6" r="5.5" fill="currentColor" />
      <path d="M6 2.6v4M6 8.2v1.4" className="stroke-card" strokeWidth="1.7" fill="none" />
    </>
  ),
  interrupted: (
    <>
      <circle cx="6" cy="6" r="4.7" stroke="currentColor" strokeWidth="1.6" strokeDasharray="4.2 3.2" fill="none" />
      <path d="M6 3.2v3.2M6 7.7v1.2" stroke="currentColor" strokeWidth="1.5" fill="none" />
    </>
  ),
  erased: (
    <>
      <circle cx="6" cy="6" r="4.7" stroke="currentColor" strokeWidth="1.5" fill="none" />
      <path d="m2.8 9.2 6.4-6.4" stroke="currentColor" strokeWidth="1.5" fill="none" />
    </>
  ),
  running: (
    <>
      <circle cx="6" cy="6" r="4.7" stroke="currentColor" strokeWidth="1.5" fill="none" />
      <circle cx="6" cy="6" r="2" fill="currentColor" className="animate-pulse" />
    </>
  ),
  broken: <path d="M.5 7 3 4l2.5 4L8 4l3.5 4" stroke="currentColor" strokeWidth="1.8" fill="none" />,
};

/** The sign something has in the timeline, wherever it is spoken of. */
export function MarkIcon({ kind, size = 12 }: { readonly kind: Mark; readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 12 12" aria-hidden="true" className={`shrink-0 ${colours[kind]}`}>
      {shapes[kind]}
    </svg>
  );
}
