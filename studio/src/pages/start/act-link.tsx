import type { ReactNode } from "react";
import { Link } from "wouter";

/** The way to where a step is done; it stands out where that is what comes next. */
export function ActLink({
  href,
  isNext,
  children,
}: {
  readonly href: string;
  readonly isNext: boolean;
  readonly children: ReactNode;
}) {
  const look = isNext
    ? "border-transparent bg-accent text-on-accent hover:opacity-90"
    : "border-line bg-card hover:bg-raised";
  return (
    <Link href={href} className={`inline-flex min-h-9 items-center rounded-md border px-3 font-medium text-sm ${look}`}>
      {children}
    </Link>
  );
}
