import { useMemo } from "react";
import type { Sample } from "../../billing/sample.ts";
import { Figure, type Ground, Plot } from "../../chart/plot.tsx";
import { linePath } from "../../chart/scale.ts";
import { count, plural, shortCount } from "../../kit/words.ts";
import { daysOf, itemsOf } from "./items.ts";
import { ordersOf, ordersText } from "./own-order.ts";
import { ToldTurn, TurnTime } from "./told-turn.tsx";

/** What the charter's own order would have cost, beside what was billed. */
export function OrdersChart({ agent, samples: all }: { readonly agent: string; readonly samples: readonly Sample[] }) {
  const orders = useMemo(() => ordersOf(all), [all]);
  const { samples, ours, own, unknown } = orders;
  if (samples.length === 0) return null;
  const both = (index: number) => `${count(ours[index] ?? 0)} so far, ${count(own[index] ?? 0)} in the charter’s order`;
  const line = (values: readonly number[], { middle, y }: Ground) =>
    linePath(values.map((value, at) => ({ x: middle(at), y: y(value) })));
  return (
    <Figure
      title="What reordering saves"
      about={
        <>
          <p className="text-ink">{ordersText(orders)}</p>
          <p>
            Added up turn by turn: what was billed, and what the same text would have been billed in the order of the
            charter, as one string.
            {unknown > 0 && ` ${plural(unknown, "turn")} cannot be compared: nothing was counted.`}
          </p>
        </>
      }
      table={{
        head: ["Turn", "As delivered", "In the charter’s order"],
        rows: samples.map((sample, index) => ({
          key: sample.turn,
          cells: [<TurnTime key="" agent={agent} sample={sample} />, count(ours[index] ?? 0), count(own[index] ?? 0)],
        })),
      }}
    >
      <Plot
        label="Tokens billed as fresh or written, added up: as delivered, and in the charter’s order"
        items={itemsOf(agent, samples, (_, index) => both(index))}
        most={Math.max(ours.at(-1) ?? 0, own.at(-1) ?? 0)}
        height={170}
        value={shortCount}
        days={(apart) => daysOf(samples, apart)}
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
        told={(index) => (
          <ToldTurn agent={agent} sample={samples[index]}>
            <span>{both(index)}</span>
          </ToldTurn>
        )}
      />
      <ul className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-soft text-xs">
        <li className="flex items-center gap-1.5">
          <span className="w-5 border-live border-t-2" /> as delivered: text that changes goes last
        </li>
        <li className="flex items-center gap-1.5">
          <span className="w-5 border-amendable border-t-2 border-dashed" /> in the charter’s order
        </li>
      </ul>
    </Figure>
  );
}
