import type { ReactNode } from "react";
import { Link } from "wouter";
import { rowMark } from "./walk-rows.ts";

/** The link a row is opened by: of all rows one is in the Tab order. */
export function RowLink(props: {
  readonly href: string;
  readonly id: string;
  readonly inTabOrder: boolean;
  readonly onFocus: () => void;
  readonly title?: string;
  readonly children: ReactNode;
}) {
  const { href, id, inTabOrder, onFocus, title, children } = props;
  return (
    <Link
      href={href}
      title={title}
      {...{ [rowMark]: id }}
      tabIndex={inTabOrder ? 0 : -1}
      onFocus={onFocus}
      className="text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
    >
      {children}
    </Link>
  );
}
