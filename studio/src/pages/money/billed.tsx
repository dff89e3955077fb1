import { useMemo } from "react";
import { Empty, Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { billOf } from "../../billing/bill.ts";
import { type Sample, useSamples } from "../../billing/sample.ts";
import type { Ground } from "../../chart/plot.tsx";
import { linePath, running } from "../../chart/scale.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { count, dayText, dollars, plural, shortCount } from "../../kit/words.ts";
import { sumOf, TokensChart, TurnChart } from "./tokens-chart.tsx";

type BilledProps = { readonly agent: string; readonly user: string | undefined; readonly limit: number };

/** What the latest turns of one agent were billed for, section by section. */
export function Billed({ agent, user, limit }: BilledProps) {
  const { data, problem, size, again } = useSamples(agent, { user, limit });
  if (problem && !data) return <Trouble problem={problem} again={again} />;
  if (!data) return <Loading />;
  return (
    <>
      {size < limit && (
        <p className="mb-3 text-sm text-wait">
          Only the latest {count(size)} are shown here: each of them is very large.
        </p>
      )}
      <Charts agent={agent} user={user} newestFirst={data.samples} more={data.more} />
    </>
  );
}

type ChartsProps = {
  readonly agent: string;
  readonly user: string | undefined;
  readonly newestFirst: readonly Sample[];
  readonly more: boolean;
};

function Charts({ agent, user, newestFirst, more }: ChartsProps) {
  const samples = useMemo(() => [...newestFirst].reverse(), [newestFirst]);
  const sum = useMemo(() => sumOf(samples), [samples]);
  if (sum.billed === 0)
    return (
      <Empty title={samples.length === 0 ? "No turns yet." : "Nothing was billed yet."}>
        <TextLink href={placeOf(agent, "chat", undefined, { user })}>Start a conversation</TextLink>: each answered turn
        shows its cost here.
      </Empty>
    );
  return (
    <div className="space-y-4">
      <h2 className="font-medium">
        {more ? `The latest ${plural(samples.length, "turn")}` : `All ${plural(samples.length, "turn")}`}
        {samples.length > 0 && (
          <span className="font-normal text-soft"> since {dayText(samples[0]?.startedAt ?? "")}, turn by turn</span>
        )}
      </h2>
      <TokensChart agent={agent} samples={samples} />
      <OrdersChart agent={agent} samples={samples} />
    </div>
  );
}

type ChartProps = { readonly agent: string; readonly samples: readonly Sample[] };

/** What the charter's own order would have cost, beside what was billed. */
function OrdersChart({ agent, samples: all }: ChartProps) {
  const orders = useMemo(() => ordersOf(all), [all]);
  const { samples, ours, own, unknown } = orders;
  if (samples.length === 0) return null;
  const line = (values: readonly number[], { middle, y }: Ground) =>
    linePath(values.map((value, at) => ({ x: middle(at), y: y(value) })));
  return (
    <TurnChart
      {...{ agent, samples }}
      title="What reordering saves"
      about={ordersText(orders)}
      hint={`Added up turn by turn: what was billed, and what the same text would have been billed in the order of the charter, as one string.${unknown > 0 ? ` ${plural(unknown, "turn")} cannot be compared: nothing was counted.` : ""}`}
      label="Tokens billed as fresh or written, added up: as delivered, and in the charter’s order"
      head={["As delivered", "In the charter’s order"]}
      cells={(_, index) => [count(ours[index] ?? 0), count(own[index] ?? 0)]}
      says={(_, index) => `${count(ours[index] ?? 0)} so far, ${count(own[index] ?? 0)} in the charter’s order`}
      most={Math.max(ours.at(-1) ?? 0, own.at(-1) ?? 0)}
      height={170}
      value={shortCount}
      draw={(ground) => (
        <g fill="none" strokeWidth={2 * ground.zoom} strokeLinejoin="round" strokeLinecap="round">
          <path
            d={line(own, ground)}
            className="stroke-amendable"
            strokeDasharray={`${6 * ground.zoom} ${5 * ground.zoom}`}
          />
          <path d={line(ours, ground)} className="stroke-live" />
        </g>
      )}
    >
      <ul className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-soft text-xs">
        <li className="flex items-center gap-1.5">
          <span className="w-5 border-live border-t-2" /> as delivered: text that changes goes last
        </li>
        <li className="flex items-center gap-1.5">
          <span className="w-5 border-amendable border-t-2 border-dashed" /> in the charter’s order
        </li>
      </ul>
    </TurnChart>
  );
}

/** What was billed as fresh or written, and what it would have been in the charter's own order; turn by turn, added up. */
export type Orders = {
  readonly samples: readonly Sample[];
  readonly ours: readonly number[];
  readonly own: readonly number[];
  readonly costs: { readonly ours: number; readonly own: number } | undefined;
  /** Turns of which one of the two is not known. */
  readonly unknown: number;
};

/** `samples` oldest first. Only turns of which both are known are compared. */
export function ordersOf(samples: readonly Sample[]): Orders {
  const known = samples.flatMap((sample) => {
    const bill = billOf(sample);
    return bill?.by === "provider" && sample.ownOrder ? [{ sample, bill, own: sample.ownOrder }] : [];
  });
  const priced = known.every(({ sample, own }) => sample.cost !== null && own.cost !== null);
  return {
    samples: known.map(({ sample }) => sample),
    ours: running(known.map(({ bill }) => bill.fresh + bill.written)),
    own: running(known.map(({ own }) => own.fresh + own.written)),
    costs:
      priced && known.length > 0
        ? {
            ours: known.reduce((sum, { sample }) => sum + (sample.cost ?? 0), 0),
            own: known.reduce((sum, { own }) => sum + (own.cost ?? 0), 0),
          }
        : undefined,
    unknown: samples.length - known.length,
  };
}

/** Both in one sentence, and how many times the one is the other. */
export function ordersText({ samples, ours, own, costs }: Orders): string {
  const [we, they] = [ours.at(-1) ?? 0, own.at(-1) ?? 0];
  const times = we === 0 ? (they === 0 ? "the same" : "all of it saved") : timesText(they / we);
  const priced = costs && (costs.ours > 0 || costs.own > 0);
  const money = priced ? ` In dollars: ${dollars(costs.ours)} instead of ${dollars(costs.own)}.` : "";
  return `As delivered: ${count(we)} tokens billed as fresh or written in ${plural(samples.length, "turn")}; in the charter’s order it would have been ${count(they)}: ${times}.${money}`;
}

function timesText(times: number): string {
  if (times > 0.995 && times < 1.005) return "the same";
  return `${times < 10 ? times.toFixed(times < 1.05 && times > 0.95 ? 2 : 1) : count(Math.round(times))} ×`;
}
