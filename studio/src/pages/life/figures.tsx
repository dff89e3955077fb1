import type { ReactNode } from "react";
import { placeOf } from "../../app/place.ts";
import { fromNow } from "../../kit/from-now.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { count, plural, timeText } from "../../kit/words.ts";
import { money, runwayWords, tierWords } from "./budget-words.ts";
import type { Life } from "./obstacles.ts";
import { stateWords } from "./state-words.ts";

/** How it is, in figures: what it does, what it has left, how long that lasts, who waits. */
export function Figures({ life, now, oldest }: FiguresProps) {
  const { agent, state, stateAt, turn, turns, ownTurnAt, tier, waiting } = life;
  const { title, says } = stateWords(state);
  return (
    <dl className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <Figure name="State" value={title}>
        <p>
          {stateAt !== null && <>since {timeText(stateAt)}</>}
          {turn !== null && (
            <>
              {" · "}
              <TextLink href={placeOf(agent, "turns", turn)}>turn</TextLink>
            </>
          )}
        </p>
        <p>{says}</p>
      </Figure>
      <Figure name="Left to spend" value={leftWords(life.balances)}>
        <Balances life={life} />
      </Figure>
      <Figure name="Lasts" value={lastsWords(life.balances)}>
        <p>{spentWords(life.balances.burn)}</p>
        <p>
          {tierWords(tier).title.toLowerCase()}: {tierWords(tier).says}
        </p>
      </Figure>
      <Figure name="Messages waiting" value={count(waiting)}>
        <p>{waiting === 0 || oldest === undefined ? "none waits" : `the oldest came ${cameWords(oldest, now)}`}</p>
        <p>
          {plural(turns, "turn")} so far
          {ownTurnAt === null
            ? ", none of its own accord"
            : `, the last of its own accord ${cameWords(ownTurnAt, now)}`}
        </p>
      </Figure>
    </dl>
  );
}

type FiguresProps = {
  readonly life: Life;
  readonly now: number;
  /** When the oldest of the messages that wait came. */
  readonly oldest: string | undefined;
};

type Balances = Life["balances"];

function leftWords({ usable, granted }: Balances): string {
  if (granted === null) return "no limit";
  return usable === null ? "not known" : money(usable);
}

function lastsWords({ runwayHours, usable, burn, granted }: Balances): string {
  if (runwayHours !== null) return runwayWords(runwayHours);
  if (granted !== null && usable !== null && usable <= 0) return runwayWords(0);
  return granted !== null && burn === 0 ? "nothing spent lately" : "not known";
}

function spentWords(burn: number | null): string {
  return burn === null ? "what it spends is not known" : `${money(burn)} spent in the last 24 hours`;
}

function Balances({ life: { balances } }: { readonly life: Life }) {
  const { granted, spent, reserve, need } = balances;
  if (granted === null) return <p>nothing was granted yet</p>;
  return (
    <>
      <p>
        {money(granted)} granted, {money(spent ?? 0)} spent
        {reserve !== null && reserve > 0 && `, ${money(reserve)} kept in reserve`}
      </p>
      {need !== null && <p>a turn may need {money(need)}</p>}
    </>
  );
}

function cameWords(at: string, now: number): string {
  const words = fromNow(Date.parse(at), now);
  return words === "now" ? "just now" : words;
}

function Figure(props: { readonly name: string; readonly value: string; readonly children: ReactNode }) {
  const { name, value, children } = props;
  return (
    <div className="min-w-0 rounded-lg border border-line bg-card px-4 py-3">
      <dt className="text-soft text-xs">{name}</dt>
      <dd className="font-semibold text-xl tabular-nums tracking-tight [overflow-wrap:anywhere]">{value}</dd>
      <dd className="text-pretty text-soft text-xs">{children}</dd>
    </div>
  );
}
