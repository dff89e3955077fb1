import type { MoneyAnswer } from "charter/answers";
import type { ReactNode } from "react";
import { housePlaceOf, placeOf } from "../../app/place.ts";
import { Hint } from "../../kit/hint.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { dollars, shortTime, shownName } from "../../kit/words.ts";

/** Limits of a day and budgets: how much of each is used, and until when it lasts if things go on like this. */
export function Limits({ limits, budgets }: Pick<MoneyAnswer, "limits" | "budgets">) {
  if (limits.length + budgets.length === 0) return null;
  return (
    <section aria-labelledby="limits">
      <h2 id="limits" className="mb-1 flex items-center gap-1 font-medium">
        Limits
        <Hint about="limits">
          A limit is for a day (UTC), of the whole agent or of each of its users; here is the user who spent most today.
          Today’s rate: what was spent since midnight UTC. A budget is what an agent was granted, and its rate that of
          the last 24 hours. A request that would exceed either is not sent.
        </Hint>
      </h2>
      <ul className="grid grid-cols-1 gap-3 md:grid-cols-2 xl:grid-cols-4">
        {limits.map(({ agent, per, user, dollars: all, spent, reachedAt }) => (
          <Used key={`${agent} ${per}`} used={spent} all={all} until={untilText(spent, all, reachedAt)}>
            <TextLink href={housePlaceOf("money", undefined, { agent, days: "7", by: "day" })}>{agent}</TextLink>{" "}
            <span className="text-soft">
              {per === "agent" ? (
                "a day"
              ) : (
                <>
                  a day for each user{user !== null && ": "}
                  {user !== null && <bdi>{user === "" ? "nobody" : shownName(user)}</bdi>}
                </>
              )}
            </span>
          </Used>
        ))}
        {budgets.map(({ agent, granted, left, emptyAt }) => (
          <Used
            key={agent}
            used={granted - (left ?? granted)}
            all={granted}
            until={
              left === null
                ? "How much is left is unknown: its model has no price."
                : left <= 0
                  ? "Nothing is left."
                  : emptyAt === null
                    ? "It does not run out within ten years, at this rate."
                    : `Lasts until ${shortTime(emptyAt)}, at this rate.`
            }
          >
            <TextLink href={placeOf(agent, "life")}>{agent}</TextLink> <span className="text-soft">granted in all</span>
          </Used>
        ))}
      </ul>
    </section>
  );
}

function untilText(spent: number, all: number, reachedAt: string | null): string {
  if (spent >= all) return "Used up until midnight UTC.";
  return reachedAt === null
    ? "Not reached today, at today’s rate."
    : `Reached ${shortTime(reachedAt)}, at today’s rate.`;
}

type UsedProps = {
  readonly used: number;
  readonly all: number;
  readonly until: string;
  readonly children: ReactNode;
};

function Used({ used, all, until, children }: UsedProps) {
  const part = all === 0 ? 1 : Math.max(0, Math.min(1, used / all));
  return (
    <li className="min-w-0 rounded-lg border border-line bg-card px-4 py-3 text-sm">
      <p className="flex flex-wrap justify-between gap-x-3 [overflow-wrap:anywhere]">
        <span>{children}</span>
        <span className="tabular-nums">
          {dollars(used)} of {dollars(all)}
        </span>
      </p>
      <div aria-hidden="true" className="my-1.5 h-1.5 rounded-full bg-raised">
        <div
          className={`h-full rounded-full ${part >= 1 ? "bg-bad" : part >= 0.8 ? "bg-wait" : "bg-accent"}`}
          style={{ width: `${100 * part}%` }}
        />
      </div>
      <p className="text-soft text-xs">{until}</p>
    </li>
  );
}
