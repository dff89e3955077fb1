import type { ReactNode } from "react";
import { Link } from "wouter";

/** A link within words. It is underlined: by its colour alone not everyone would find it. */
export function TextLink({
  href,
  dir,
  children,
}: {
  readonly href: string;
  readonly dir?: "auto";
  readonly children: ReactNode;
}) {
  return (
    <Link
      href={href}
      {...(dir === undefined ? {} : { dir })}
      className="text-accent underline decoration-accent/40 underline-offset-2 [overflow-wrap:anywhere] hover:decoration-accent"
    >
      {children}
    </Link>
  );
}
