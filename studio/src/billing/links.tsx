import type { ReactNode } from "react";
import { Link } from "wouter";
import { placeOf } from "../app/place.ts";
import { shownName } from "../kit/words.ts";

const look = "text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent";

/** A link inside words. */
export function To({
  href,
  inTabOrder = true,
  children,
}: {
  readonly href: string;
  readonly inTabOrder?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Link href={href} className={look} {...(inTabOrder ? {} : { tabIndex: -1 })}>
      {children}
    </Link>
  );
}

/** A section's name, which leads to it; where a revision is named, to that one in its history. */
export function ToSection(props: {
  readonly agent: string;
  readonly section: string;
  readonly user?: string | undefined;
  readonly revision?: number | null | undefined;
  readonly children?: ReactNode;
}) {
  const { agent, section, user, revision, children } = props;
  return (
    <To href={placeOf(agent, "sections", section, { user, revision: revision ? revision : undefined })}>
      <bdi className="[overflow-wrap:anywhere]">{children ?? section}</bdi>
    </To>
  );
}

/** A user's name, which leads to their turns. */
export function ToUser({
  agent,
  user,
  inTabOrder = true,
}: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly inTabOrder?: boolean;
}) {
  if (user === undefined) return <span>no user</span>;
  return (
    <To href={placeOf(agent, "turns", undefined, { user })} inTabOrder={inTabOrder}>
      <bdi className="[overflow-wrap:break-word]">{shownName(user)}</bdi>
    </To>
  );
}
