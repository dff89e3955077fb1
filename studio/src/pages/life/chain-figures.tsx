import { ShortCode } from "../../kit/text-link.tsx";
import { count, plural } from "../../kit/words.ts";
import { type Chain, goingWords, stoppedWords, unitsWords } from "./chain-words.ts";
import { cameWords, Figure } from "./figure.tsx";

/** How its chain is, in figures: what its address has, how far it was read, its replies, and what they cost. */
export function ChainFigures({ chain, now }: { readonly chain: Chain; readonly now: number }) {
  return (
    <>
      <Balances chain={chain} now={now} />
      <Cursor chain={chain} now={now} />
      <Replies chain={chain} />
      <Fees chain={chain} />
    </>
  );
}

type ChainProps = { readonly chain: Chain; readonly now: number };

function Balances({ chain: { chain, address, balances }, now }: ChainProps) {
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
