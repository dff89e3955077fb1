import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { Cause } from "../../../app/cause.tsx";
import { placeOf } from "../../../app/place.ts";
import type { Amending, Whose } from "../../../editor/use-amending.ts";
import { Button } from "../../../kit/field.tsx";
import { Hand, handFill } from "../../../kit/hand.tsx";
import { Badge } from "../../../kit/icon.tsx";
import { DiffView } from "../../../kit/text/diff.tsx";
import { timeText } from "../../../kit/words.ts";
import { RevisionEvent } from "../core/revision-event.tsx";
import { RevertButton } from "./revert-button.tsx";
import type { Amendment } from "./use-history.ts";

const did: Readonly<Record<Amendment["operation"], string>> = {
  append: "added to the end",
  prepend: "added to the beginning",
  replace_section: "replaced a passage",
  rewrite: "rewrote it",
  reset: "reset it to the original",
  revert: "went back to an earlier text",
};

/** More than this is compared when someone asks for it: a page of long texts must not stand still. */
const large = 100_000;

/** One step of the timeline. */
export function AmendmentEntry({
  amendment,
  whose: { agent, user },
  amending,
  pointedAt,
  onCompare,
}: {
  readonly amendment: Amendment;
  readonly whose: Whose;
  readonly amending: Amending;
  readonly pointedAt: boolean;
  readonly onCompare: () => void;
}) {
  const { revision, actor, operation, at, turn, reason, erasedAt, event } = amendment;
  const entry = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (pointedAt) entry.current?.scrollIntoView({ block: "center" });
  }, [pointedAt]);
  const standing = revision === amending.stands.revision;
  return (
    <li ref={entry} className="relative pb-5 pl-6">
      <span aria-hidden="true" className="absolute top-2 bottom-[-0.5rem] left-[0.3125rem] w-px bg-line" />
      <span aria-hidden="true" className={`absolute top-1.5 left-0 size-[0.6875rem] rounded-full ${handFill[actor]}`} />
      <div className={pointedAt ? "-mx-2 rounded-md bg-raised px-2 py-1" : ""}>
        <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-sm">
          <strong>Revision {revision}</strong>
          {event?.state === "elsewhere" ? (
            <Badge>written elsewhere</Badge>
          ) : (
            <>
              <Hand actor={actor} />
              <span className="text-soft">{did[operation]}</span>
            </>
          )}
          {standing && <Badge tone="good">current</Badge>}
          <span className="ml-auto text-soft text-xs">
            <time dateTime={at}>{timeText(at)}</time>
            {turn && (
              <>
                {" · "}
                <Link href={placeOf(agent, "turns", turn, { user })} className="underline">
                  in this turn
                </Link>
              </>
            )}
          </span>
        </p>
        {event && <RevisionEvent event={event} reason={reason} />}
        {reason && event?.state !== "elsewhere" && (
          <p dir="auto" className="mt-0.5 text-sm [overflow-wrap:anywhere]">
            “{reason}”
          </p>
        )}
        {!reason && turn !== null && event?.state !== "elsewhere" && <Cause agent={agent} turn={turn} />}
        <Changes amendment={amendment} />
        {!standing && (
          <div className="mt-1.5 flex flex-wrap items-center gap-1.5">
            {erasedAt === null && <RevertButton to={revision} amending={amending} />}
            {erasedAt === null && (
              <Button kind="quiet" onClick={onCompare}>
                Compare with now
              </Button>
            )}
          </div>
        )}
      </div>
    </li>
  );
}

function Changes({ amendment: { before, after, erasedAt } }: { readonly amendment: Amendment }) {
  const [asked, setAsked] = useState(false);
  if (before === null || after === null)
    return (
      <p className="mt-1 text-sm text-soft">
        Its text was erased{erasedAt && ` on ${timeText(erasedAt)}`}. The record shows that it took place.
      </p>
    );
  if (before.length + after.length > large && !asked)
    return (
      <Button className="mt-1.5" onClick={() => setAsked(true)}>
        Show what changed
      </Button>
    );
  return <DiffView before={before} after={after} max={8} className="mt-1.5 bg-card" />;
}
