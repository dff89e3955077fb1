import { type ReactNode, useId } from "react";
import { Link } from "wouter";
import { Card } from "../../app/page.tsx";
import { housePlaceOf, placeOf, saidWith } from "../../app/place.ts";
import { Badge } from "../../kit/icon.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { shownName, timeText } from "../../kit/words.ts";
import type { Status } from "./waiting.ts";

const tones = {
  waiting: "wait",
  approved: "good",
  rejected: "bad",
  running: "wait",
  done: "good",
  failed: "bad",
} as const;

/** What all kinds share: what is wanted, by whom, for whom, when, in which turn; and who decided. */
export function HeldCard({
  agent,
  id,
  title,
  status,
  stale = false,
  asked,
  user,
  at,
  turn,
  decided,
  children,
}: {
  readonly agent: string;
  readonly id: string;
  readonly title: ReactNode;
  readonly status: Status;
  /** The section has changed since. */
  readonly stale?: boolean;
  readonly asked: ReactNode;
  readonly user: string | undefined;
  readonly at: string;
  /** Null: no turn has to do with it. */
  readonly turn: string | undefined | null;
  readonly decided: { readonly at: string | null; readonly by: string | null; readonly reason: string | null };
  readonly children: ReactNode;
}) {
  const name = useId();
  return (
    <li
      data-held={id}
      tabIndex={-1}
      aria-labelledby={name}
      className="rounded-lg outline-offset-2 outline-accent focus:outline-2"
    >
      <Card className="space-y-3">
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
          <div className="min-w-0 flex-1 basis-40">
            <h2 id={name} className="font-semibold [overflow-wrap:anywhere]">
              {title}
            </h2>
            <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-soft">
              {asked}
              {user !== undefined && (
                <span className="[overflow-wrap:anywhere]">
                  for{" "}
                  <TextLink href={saidWith(agent, user)} dir="auto">
                    {shownName(user)}
                  </TextLink>
                </span>
              )}
              <Link href={housePlaceOf("approvals", id)} className="hover:underline" title="A link to this one">
                {timeText(at)}
              </Link>
              {turn === undefined && <span>outside of any turn</span>}
              {typeof turn === "string" && <TextLink href={placeOf(agent, "turns", turn)}>Turn</TextLink>}
            </p>
          </div>
          <span className="flex flex-wrap gap-1">
            <Badge title="Whose it is">
              <bdi>{agent}</bdi>
            </Badge>
            {stale && <Badge tone="bad">out of date</Badge>}
            <Badge tone={tones[status]}>{status}</Badge>
          </span>
        </div>
        {decided.at !== null && (
          <p className="text-sm [overflow-wrap:anywhere]">
            {status === "rejected" ? "Rejected" : "Approved"} by {decided.by} {timeText(decided.at)}
            {decided.reason !== null && (
              <>
                : “<bdi>{decided.reason}</bdi>”
              </>
            )}
          </p>
        )}
        {children}
      </Card>
    </li>
  );
}
