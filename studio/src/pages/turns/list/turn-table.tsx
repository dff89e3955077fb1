import { useLocation } from "wouter";
import { placeOf } from "../../../app/place.ts";
import { allOf, billOf } from "../../../billing/bill.ts";
import { To, ToUser } from "../../../billing/links.tsx";
import { MarkIcon } from "../../../billing/mark-icon.tsx";
import { isCracked, marksOf } from "../../../billing/marks.ts";
import type { Sample } from "../../../billing/sample.ts";
import { markText } from "../../../billing/told.ts";
import { count, dollars, share, timeText } from "../../../kit/words.ts";
import { TurnState } from "../state.tsx";

const head = "px-2 py-1.5 text-left font-medium text-soft text-xs first:pl-4 last:pr-4";
const cell = "px-2 py-1.5 align-top first:pl-4 last:pr-4";
const figure = `${cell} text-right tabular-nums whitespace-nowrap`;

type RowProps = { readonly agent: string; readonly sample: Sample };

/** The same turns to be read, newest first: as a table, on a telephone as a list. */
export function TurnTable({ agent, samples }: { readonly agent: string; readonly samples: readonly Sample[] }) {
  return (
    <>
      <table className="hidden w-full text-sm sm:table">
        <caption className="sr-only">Turns, newest first</caption>
        <thead>
          <tr className="border-line border-b">
            <th scope="col" className={head}>
              Time
            </th>
            <th scope="col" className={head}>
              User
            </th>
            <th scope="col" className={`${head} hidden lg:table-cell`}>
              Channel
            </th>
            <th scope="col" className={head}>
              Input
            </th>
            <th scope="col" className={head}>
              State
            </th>
            <th scope="col" className={`${head} text-right`} title="Input tokens billed, all steps together">
              Billed
            </th>
            <th scope="col" className={`${head} text-right`} title="How much of them was read from the cache">
              Hit rate
            </th>
            <th scope="col" className={`${head} hidden text-right md:table-cell`}>
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {samples.map((sample) => (
            <Row key={sample.turn} sample={sample} agent={agent} />
          ))}
        </tbody>
      </table>
      <ul className="divide-y divide-line text-sm sm:hidden" aria-label="Turns, newest first">
        {samples.map((sample) => (
          <Entry key={sample.turn} sample={sample} agent={agent} />
        ))}
      </ul>
    </>
  );
}

function Row({ sample, agent }: RowProps) {
  const [, go] = useLocation();
  const { turn, startedAt, scope, channel, input, state } = sample;
  const { tokens, hit, price, because } = figuresOf(sample);
  const here = placeOf(agent, "turns", turn);
  return (
    <tr
      className="cursor-pointer border-line/60 border-b last:border-0 hover:bg-raised"
      onClick={({ target }) => {
        if (!(target as Element).closest("a") && getSelection()?.isCollapsed !== false) go(here);
      }}
    >
      <td className={`${cell} whitespace-nowrap tabular-nums`}>
        <To href={here}>{timeText(startedAt)}</To>
      </td>
      <td className={`${cell} max-w-40 truncate`}>
        <ToUser agent={agent} user={scope.user} />
      </td>
      <td className={`${cell} hidden whitespace-nowrap text-soft lg:table-cell`}>{channel ?? "–"}</td>
      <td className={`${cell} w-full max-w-0`}>
        <span className="flex items-center gap-2">
          <span dir="auto" className="min-w-0 truncate" title={input}>
            {input === "" ? "–" : input}
          </span>
          <Marks sample={sample} />
        </span>
      </td>
      <td className={`${cell} whitespace-nowrap`}>
        <TurnState state={state} />
      </td>
      <td className={figure} title={because}>
        {tokens}
      </td>
      <td className={figure} title={because}>
        {hit}
      </td>
      <td className={`${figure} hidden md:table-cell`}>{price}</td>
    </tr>
  );
}

function Entry({ sample, agent }: RowProps) {
  const { turn, startedAt, scope, input, state } = sample;
  const { tokens, hit, price } = figuresOf(sample);
  return (
    <li className="space-y-0.5 px-4 py-2">
      <p className="flex items-center gap-2">
        <To href={placeOf(agent, "turns", turn)}>{timeText(startedAt)}</To>
        <span className="ml-auto">
          <TurnState state={state} />
        </span>
      </p>
      <p className="flex items-center gap-2">
        <span dir="auto" className="line-clamp-2 min-w-0 [overflow-wrap:anywhere]">
          {input === "" ? "–" : input}
        </span>
        <Marks sample={sample} />
      </p>
      <p className="flex flex-wrap gap-x-3 text-soft text-xs tabular-nums">
        <ToUser agent={agent} user={scope.user} />
        <span>{tokens} tokens</span>
        <span>{hit} read</span>
        <span>{price}</span>
      </p>
    </li>
  );
}

/** What the provider did not count is what was predicted, and marked as such. */
function figuresOf(sample: Sample) {
  const bill = billOf(sample);
  const about = bill?.by === "prediction" ? "≈ " : "";
  return {
    tokens: bill ? `${about}${count(allOf(bill))}` : "–",
    hit: bill && allOf(bill) > 0 ? `${about}${share(bill.read, allOf(bill))}` : "–",
    price: sample.cost !== null ? dollars(sample.cost) : sample.state === "answered" ? "unknown" : "–",
    because: about === "" ? undefined : "Predicted: the provider did not count.",
  };
}

function Marks({ sample }: { readonly sample: Sample }) {
  const marks = marksOf(sample).filter(({ kind }) => kind === "amended" || kind === "refused" || kind === "held");
  return (
    <span className="flex shrink-0 items-center gap-1">
      {marks.map((mark) => (
        <span key={mark.kind + ("hand" in mark ? mark.hand : "")} title={markText(mark)}>
          <MarkIcon kind={mark.kind} />
          <span className="sr-only">{markText(mark)}</span>
        </span>
      ))}
      {isCracked(sample) && (
        <span title={sample.broke?.says}>
          <MarkIcon kind="broken" />
          <span className="sr-only">The cache broke: {sample.broke?.says}</span>
        </span>
      )}
    </span>
  );
}
