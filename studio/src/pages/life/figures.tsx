import { placeOf } from "../../app/place.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { count, fromNow, plural, timeText } from "../../kit/words.ts";
import { budgetWords, money, runwayWords } from "./budget-words.ts";
import { ChainFigures } from "./chain-figures.tsx";
import { cameWords, Figure } from "./figure.tsx";
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
      {chain && <ChainFigures chain={chain} now={now} />}
    </dl>
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

function dueWords(at: string, now: number): string {
  return fromNow(Date.parse(at), now) === "now" || Date.parse(at) <= now
    ? "is due now"
    : `is due ${fromNow(Date.parse(at), now)}`;
}
