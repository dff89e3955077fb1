import type { TurnAnswer } from "charter/answers";
import { type ReactNode, useState } from "react";
import { placeOf } from "../../app/place.ts";
import { tokensSentence, tookText } from "../../billing/listed-turn.tsx";
import { WhyThisReply } from "../../cause/led-to-reply.tsx";
import { Button } from "../../kit/field.tsx";
import { Badge } from "../../kit/icon.tsx";
import { Copy, TextLink } from "../../kit/text-link.tsx";
import { count, dollars, plural, timeText } from "../../kit/words.ts";

const small = "min-h-7 px-1.5 py-0 text-xs";

type FootProps = {
  readonly agent: string;
  readonly id: string | undefined;
  readonly at: string;
  /** As it is on record, once it is. */
  readonly turn: TurnAnswer | undefined;
  readonly tainted: boolean;
  readonly reply: string;
  /** Says the same again; undefined where it cannot be. */
  readonly onRetry?: (() => void) | undefined;
  readonly busy?: boolean;
  /** What else is told of it. */
  readonly children?: ReactNode;
};

/** Under a turn: when it was, what it used and cost, and what can be done with it. */
export function TurnFoot({ agent, id, at, turn, tainted, reply, onRetry, busy = false, children }: FootProps) {
  const known = turn ? figures(turn) : [];
  const [asked, setAsked] = useState(false);
  const isOver = id !== undefined && (reply !== "" || turn?.state === "answered") && turn?.state !== "erased";
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-soft text-xs tabular-nums">
        <time dateTime={at}>{timeText(at)}</time>
        {tainted && (
          <Badge tone="wait" title="There was untrusted text in this turn’s context.">
            untrusted text
          </Badge>
        )}
        {children}
        {known.length > 0 && (
          <span data-figures {...(turn?.usage ? { title: tokensSentence(turn.usage) } : {})}>
            {known.join(" · ")}
          </span>
        )}
        {id !== undefined && <TextLink href={placeOf(agent, "turns", id)}>Open turn</TextLink>}
        <span className="-mx-1.5 flex">
          {isOver && (
            <Button
              kind="quiet"
              className={small}
              aria-expanded={asked}
              title="The notes it found, and what was changed since the turn before."
              onClick={() => setAsked(!asked)}
            >
              Why this reply?
            </Button>
          )}
          {reply !== "" && <Copy text={reply} what="the reply" className={small} />}
          {onRetry && (
            <Button
              kind="quiet"
              className={small}
              disabled={busy}
              title="Sends the same message again, as a new turn."
              onClick={onRetry}
            >
              Retry
            </Button>
          )}
        </span>
      </div>
      {asked && isOver && (
        <div className="rounded-md border border-line bg-card px-3 py-2 text-sm">
          <WhyThisReply agent={agent} turn={id} />
        </div>
      )}
    </>
  );
}

type Counted = Pick<TurnAnswer, "usage" | "cost" | "state" | "startedAt" | "endedAt">;

/** What a turn used, cost and took: as much of it as is known, once it is over. */
export function figures({ usage, cost, state, startedAt, endedAt }: Counted): readonly string[] {
  if (state === "running" || state === "erased") return [];
  return [
    tokens(usage?.input ?? null, usage?.output ?? null),
    typeof cost === "number" ? dollars(cost) : undefined,
    endedAt === null ? undefined : tookText(startedAt, endedAt),
  ].filter((one) => one !== undefined);
}

function tokens(input: number | null, output: number | null): string | undefined {
  if (input === null) return output === null ? undefined : `${plural(output, "token")} out`;
  return `${plural(input, "token")} in${output === null ? "" : `, ${count(output)} out`}`;
}
