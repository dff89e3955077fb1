import type { ReactNode } from "react";
import { placeOf } from "../../app/place.ts";
import { fromNow } from "../../kit/from-now.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { count, plural, timeText } from "../../kit/words.ts";
import { budgetWords, money, runwayWords } from "./budget-words.ts";
import { repliesWords, unitsWords } from "./chain-words.ts";
import { isStarted, type Life } from "./obstacles.ts";
import { neverStarted, stateWords } from "./state-words.ts";

/** How it is, in figures: what it does, how well off it is, what that means in money and time, who waits. */
export function Figures({ life, now, oldest }: FiguresProps) {
  const { agent, state, stateAt, turn, turns, ownTurnAt, nextOwnTurnAt, tier, waiting, balances, chain } = life;
  const { title, says } = state !== null && isStarted(life) ? stateWords(state) : neverStarted;
  const budget = budgetWords(tier, balances.unknown);
  return (
    <dl className="grid grid-cols-2 gap-3 xl:grid-cols-4">
      <Figure name="State" value={title}>
        {stateAt !== null && isStarted(life) && (
          <p>
            since {timeText(stateAt)}
            {turn !== null && (
              <>
                {" · "}
                <TextLink href={placeOf(agent, "turns", turn)}>turn</TextLink>
              </>
            )}
          </p>
        )}
        <p>{says}</p>
      </Figure>
      <Figure name="Budget" value={budget.title} tone={budget.tone}>
        <p>{budget.says}</p>
      </Figure>
      <Figure name="Left to spend" value={leftWords(balances)}>
        <Balances balances={balances} />
      </Figure>
      <Figure name="Messages waiting" value={count(waiting)}>
        <p>{waiting === 0 || oldest === undefined ? "none is waiting" : `the oldest came ${cameWords(oldest, now)}`}</p>
        <p>
          {plural(turns, "turn")} so far
          {ownTurnAt === null ? ", none on its own" : `, the last on its own ${cameWords(ownTurnAt, now)}`}
        </p>
        {nextOwnTurnAt !== null && <p>the next on its own {dueWords(nextOwnTurnAt, now)}</p>}
      </Figure>
      {chain && <OnChain chain={chain} now={now} />}
    </dl>
  );
}

type Chain = NonNullable<Life["chain"]>;

/** What its address has on its chain, how old that is, and how far its replies are. */
function OnChain({ chain, now }: { readonly chain: Chain; readonly now: number }) {
  const { balances, replies, problem, lag, readAt } = chain;
  const [first, ...others] = balances;
  const isStale = balances.some(({ stale }) => stale);
  return (
    <Figure
      name={`On chain ${chain.chain}`}
      value={first ? unitsWords(first) : "not read yet"}
      tone={problem !== null ? "bad" : isStale || replies.held + replies.failed > 0 ? "wait" : "good"}
    >
      {others.map((balance) => (
        <p key={balance.asset} className="text-ink">
          {unitsWords(balance)}
        </p>
      ))}
      {first && (
        <p>
          read {cameWords(first.readAt, now)}
          {isStale && ": stale, it may be another by now"}
        </p>
      )}
      {readAt !== null && <p>messages read up to {plural(lag ?? 0, "block")} behind the newest</p>}
      <p>{repliesWords(replies)}</p>
      {problem !== null && <p>{problem}</p>}
    </Figure>
  );
}

type FiguresProps = {
  readonly life: Life;
  readonly now: number;
  /** When the oldest of the messages that wait came. */
  readonly oldest: string | undefined;
};

function leftWords({ balance, unknown }: Life["balances"]): string {
  if (balance !== null) return money(balance);
  return unknown === "never-granted" ? "no limit" : "not known";
}

function Balances({ balances }: { readonly balances: Life["balances"] }) {
  const { granted, spent, reserve, need, burnPerHour, runwayHours } = balances;
  return (
    <>
      {runwayHours !== null && <p className="text-ink">{runwayWords(runwayHours)}</p>}
      {burnPerHour !== null && <p>{money(burnPerHour)} an hour, over the last day</p>}
      {granted !== null && (
        <p>
          {money(granted)} granted, {money(spent)} spent since
          {reserve > 0 && `; ${money(reserve)} kept in reserve`}
        </p>
      )}
      {need > 0 && <p>the next turn may cost {money(need)}</p>}
    </>
  );
}

function cameWords(at: string, now: number): string {
  const words = fromNow(Date.parse(at), now);
  return words === "now" ? "just now" : words;
}

function dueWords(at: string, now: number): string {
  return fromNow(Date.parse(at), now) === "now" || Date.parse(at) <= now
    ? "is due now"
    : `is due ${fromNow(Date.parse(at), now)}`;
}

const inks = { good: "", wait: "text-wait", bad: "text-bad" } as const;

type FigureProps = {
  readonly name: string;
  readonly value: string;
  readonly tone?: keyof typeof inks;
  readonly children: ReactNode;
};

function Figure({ name, value, tone = "good", children }: FigureProps) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-card px-4 py-3">
      <dt className="text-soft text-xs">{name}</dt>
      <dd className={`font-semibold text-xl tabular-nums tracking-tight [overflow-wrap:anywhere] ${inks[tone]}`}>
        {value}
      </dd>
      <dd className="text-pretty text-soft text-xs">{children}</dd>
    </div>
  );
}
