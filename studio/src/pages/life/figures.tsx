import { Figure } from "../../app/page.tsx";
import { housePlaceOf, placeOf } from "../../app/place.ts";
import { ShortCode, TextLink } from "../../kit/text-link.tsx";
import { count, dollars, fromNow, plural, timeText } from "../../kit/words.ts";
import { isStarted, type Life } from "./obstacles.tsx";

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
        <Balances agent={agent} balances={balances} />
      </Figure>
      <Figure name="Messages waiting" value={count(waiting)}>
        <p>{waiting === 0 || oldest === undefined ? "none is waiting" : `the oldest came ${cameWords(oldest, now)}`}</p>
        <p>
          <TextLink href={placeOf(agent, "turns")}>{plural(turns, "turn")}</TextLink> so far
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

function Balances({ agent, balances }: Pick<Life, "agent" | "balances">) {
  const { granted, spent, reserve, need, burnPerHour, runwayHours } = balances;
  return (
    <>
      {runwayHours !== null && <p className="text-ink">{runwayWords(runwayHours)}</p>}
      {burnPerHour !== null && <p>{money(burnPerHour)} an hour, over the last day</p>}
      {granted !== null && (
        <p>
          {money(granted)} granted,{" "}
          <TextLink href={housePlaceOf("money", undefined, { agent, days: "all" })}>{money(spent)}</TextLink> spent
          since
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

/** When something came, as people say it. */
function cameWords(at: string, now: number): string {
  const words = fromNow(Date.parse(at), now);
  return words === "now" ? "just now" : words;
}

/** How its chain is, in figures: what its address has, how far it was read, its replies, and what they cost. */
function ChainFigures({ chain, now }: { readonly chain: Chain; readonly now: number }) {
  return (
    <>
      <ChainBalances chain={chain} now={now} />
      <Cursor chain={chain} now={now} />
      <Replies chain={chain} />
      <Fees chain={chain} />
    </>
  );
}

type ChainProps = { readonly chain: Chain; readonly now: number };

function ChainBalances({ chain: { chain, address, balances }, now }: ChainProps) {
  const [first, ...others] = balances;
  const isStale = balances.some(({ stale }) => stale);
  return (
    <Figure
      name={`On chain ${chain}`}
      value={first ? unitsWords(first) : "not read yet"}
      tone={isStale ? "wait" : "good"}
    >
      {others.map((balance) => (
        <p key={balance.asset} className="text-ink">
          {unitsWords(balance)}
        </p>
      ))}
      {first && (
        <p>
          read {cameWords(first.readAt, now)}
          {isStale && ": this may have changed"}
        </p>
      )}
      {address !== null && (
        <p>
          at <ShortCode what="its address" code={address} />
        </p>
      )}
    </Figure>
  );
}

function Cursor({ chain: { block, head, lag, readAt, unconfirmed, problem }, now }: ChainProps) {
  return (
    <Figure
      name="Read up to block"
      value={block === null ? "not read yet" : count(block)}
      tone={problem === null ? "good" : "bad"}
    >
      {readAt !== null && <p>read {cameWords(readAt, now)}</p>}
      {lag !== null && head !== null && (
        <p>
          {plural(lag, "block")} behind the newest, {count(head)}
        </p>
      )}
      {unconfirmed > 0 && <p>{plural(unconfirmed, "message")} in blocks that do not count yet</p>}
      {problem !== null && <p className="text-bad [overflow-wrap:anywhere]">{problem}</p>}
    </Figure>
  );
}

function Replies({ chain: { replies, sends } }: { readonly chain: Chain }) {
  const [going, stopped] = [goingWords(replies), stoppedWords(replies)];
  if (sends === false)
    return (
      <Figure name="Replies on the chain" value="not sent">
        <p>They are kept here, for whoever asks for them.</p>
      </Figure>
    );
  return (
    <Figure name="Replies on the chain" value={`${count(replies.final)} final`}>
      <p>{going ?? "none is on its way"}</p>
      {stopped !== undefined && <p className={replies.failed > 0 ? "text-bad" : "text-wait"}>{stopped}</p>}
    </Figure>
  );
}

function Fees({ chain: { feesToday, maxFeePerDay, maxFeePerReply } }: { readonly chain: Chain }) {
  const ether = (amount: string) => unitsWords({ amount, symbol: "ETH" });
  return (
    <Figure name="Fees today (UTC)" value={ether(feesToday)}>
      {maxFeePerDay !== null && <p>of at most {ether(maxFeePerDay)} a day</p>}
      {maxFeePerReply !== null && <p>at most {ether(maxFeePerReply)} for a reply</p>}
    </Figure>
  );
}

type Tone = "good" | "wait" | "bad";

/** How well off an agent is, in plain words, and what follows from it. */
export type TierWords = { readonly title: string; readonly says: string; readonly tone: Tone };

const out = "It makes no model requests: messages wait, and its users get no answers, until you grant more.";

const tiers: Readonly<Record<string, TierWords>> = {
  Normal: { title: "Enough", says: "There is enough for messages and for turns of its own.", tone: "good" },
  LowCycles: {
    title: "Low",
    says: "It still answers messages, but takes no turns of its own, and calls that act outside are refused.",
    tone: "wait",
  },
  Critical: { title: "Nearly used up", says: out, tone: "bad" },
  OutOfCycles: { title: "Used up", says: out, tone: "bad" },
};

export function tierWords(tier: string): TierWords {
  return tiers[tier] ?? { title: tier, says: "", tone: "wait" };
}

/** How well off it is; where nothing was granted, or the price of its turns is not known, that there is no saying. */
export function budgetWords(tier: string, unknown: "never-granted" | "no-price" | null): TierWords {
  if (unknown === "never-granted")
    return { title: "No limit", says: "No budget is set: spending is not limited.", tone: "good" };
  if (unknown === "no-price")
    return {
      title: "Not known",
      says: "The price of its model is unknown, so spending cannot be limited.",
      tone: "wait",
    };
  return tierWords(tier);
}

/** Millionths of a dollar as money. */
export function money(micros: number): string {
  return micros < 0 ? `−${dollars(-micros / 1e6)}` : dollars(micros / 1e6);
}

/** How long a budget lasts at the rate of the last day, as people say it. */
export function runwayWords(hours: number): string {
  return hours <= 0 ? "nothing is left" : `lasts ${lengthWords(hours)} at this rate`;
}

function lengthWords(hours: number): string {
  if (hours < 1) return "less than an hour";
  if (hours < 48) return `about ${many(hours, "hour")}`;
  const days = hours / 24;
  if (days < 60) return `about ${many(days, "day")}`;
  return days < 730 ? `about ${many(days / 30.4, "month")}` : "years";
}

function many(value: number, one: string): string {
  const whole = Math.floor(value);
  return `${whole} ${whole === 1 ? one : `${one}s`}`;
}

/** An amount someone typed in dollars, as millionths of one; nothing where it is no such amount. */
export function microsOf(typed: string): number | undefined {
  const plain = typed.trim().replace(/^\$\s*/, "");
  // A comma would be a thousand to one person and a tenth to another.
  if (!/^(?:\d{1,9}(?:\.\d{0,6})?|\.\d{1,6})$/.test(plain)) return undefined;
  const micros = Math.round(Number(plain) * 1e6);
  return micros > 0 ? micros : undefined;
}

export type Chain = NonNullable<Life["chain"]>;

/** “1,234.5678 ETH”: the whole part in groups, and no more places than matter. Never by way of a number that is not exact. */
export function unitsWords({ amount, symbol }: Pick<Chain["balances"][number], "amount" | "symbol">): string {
  const [whole = "0", part = ""] = amount.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  // Of what is less than one, four digits that say something.
  const shown = (whole === "0" ? /^0*\d{0,4}/ : /^\d{0,4}/).exec(part)?.[0].replace(/0+$/, "") ?? "";
  return `${grouped}${shown === "" ? "" : `.${shown}`} ${symbol}`;
}

/** How many replies are under way, and how far; nothing where none is. */
export function goingWords({ waiting, signed, sent, mined }: Chain["replies"]): string | undefined {
  const going = [
    ...(waiting + signed > 0 ? [`${waiting + signed} to be sent`] : []),
    ...(sent > 0 ? [`${sent} sent`] : []),
    ...(mined > 0 ? [`${mined} in a block that does not count yet`] : []),
  ];
  return going.length === 0 ? undefined : going.join(", ");
}

/** How many replies do not go on by themselves, and why; nothing where none is. */
export function stoppedWords({ held, failed }: Chain["replies"]): string | undefined {
  const stopped = [
    ...(held > 0 ? [`${held} held: the fee is above the limit`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  return stopped.length === 0 ? undefined : stopped.join(", ");
}

/** A state in plain words, and what it means. */
type Words = { readonly title: string; readonly says: string };

const states: Readonly<Record<string, Words>> = {
  Bootstrapping: { title: "Starting", says: "It has just been started." },
  Idle: { title: "Idle", says: "It waits for the next message." },
  LoadingContext: { title: "Preparing a turn", says: "It reads what the turn needs." },
  Inferring: { title: "Thinking", says: "It waits for the model." },
  ExecutingActions: { title: "Using tools", says: "It runs what the model asked for." },
  Persisting: { title: "Saving", says: "It saves what the turn came to." },
  Sleeping: { title: "Resting", says: "It takes no turns for now." },
  Faulted: { title: "Recovering", says: "Something unexpected happened. It recovers on its own." },
};

const neverStarted: Words = { title: "Never started", says: "No process has run it yet." };

export function stateWords(state: string): Words {
  return states[state] ?? { title: state, says: "" };
}

const causes: Readonly<Record<string, string>> = {
  tick: "ready for messages",
  rest: "no turns are allowed",
  frozen: "frozen by the operator",
  asleep: "sent to sleep",
  LowCycles: "the budget is low",
  Critical: "the budget is nearly used up",
  OutOfCycles: "the budget is used up",
  "turn-started": "a turn started",
  "context-loading": "the turn continued",
  "model-asked": "the model was asked",
  "tools-called": "the model asked for tools",
  "turn-recorded": "the model finished",
  "turn-finished": "the turn ended well",
  "turn-quiet": "there was nothing to do",
  "turn-failed": "the turn failed",
};

/** Why a state changed. What has no words here is said as it was recorded. */
export function causeWords(cause: string): string {
  const unforeseen = /^(\S+) is not foreseen in (\S+)$/.exec(cause);
  if (!unforeseen) return causes[cause] ?? cause;
  const [, event = "", state = ""] = unforeseen;
  return `“${causes[event] ?? event}” was not expected while “${stateWords(state).title}”`;
}
