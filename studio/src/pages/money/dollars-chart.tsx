import { nothing } from "../../billing/bill.ts";
import type { Sample } from "../../billing/sample.ts";
import { Figure, Plot } from "../../chart/plot.tsx";
import { dollars, plural } from "../../kit/words.ts";
import { outlines } from "./columns.ts";
import { daysOf, itemsOf } from "./items.ts";
import { sumOf } from "./spending.ts";
import { ToldTurn, TurnTime } from "./told-turn.tsx";

const price = (cost: number | null | undefined) =>
  cost === null || cost === undefined ? "price not known" : dollars(cost);

/** What each turn cost, where the price is known. */
export function DollarsChart({ agent, samples }: { readonly agent: string; readonly samples: readonly Sample[] }) {
  const { cost, priced, turns } = sumOf(samples);
  const columns = samples.map((sample) => [{ ...nothing, fresh: sample.cost ?? 0 }]);
  return (
    <Figure
      title="Dollars per turn"
      about={`${dollars(cost)} in all${priced < turns ? `, for the ${plural(priced, "turn")} whose price is known` : ""}; ${dollars(priced === 0 ? 0 : cost / priced)} a turn.`}
      table={{
        head: ["Turn", "Cost"],
        rows: samples.map((sample) => ({
          key: sample.turn,
          cells: [
            <TurnTime key="" agent={agent} sample={sample} />,
            sample.cost === null ? "unknown" : dollars(sample.cost),
          ],
        })),
      }}
    >
      <Plot
        label="What each turn cost, in dollars"
        items={itemsOf(agent, samples, (sample) => price(sample.cost))}
        most={Math.max(0, ...samples.map((sample) => sample.cost ?? 0))}
        height={150}
        value={(value) => dollars(value).replace(/(\.\d*?[1-9])0+$/, "$1")}
        days={(apart) => daysOf(samples, apart)}
        draw={(ground) =>
          outlines(columns, ground).map(({ kind, path }) => <path key={kind} d={path} className="fill-fixed" />)
        }
        told={(index) => (
          <ToldTurn agent={agent} sample={samples[index]}>
            <span>{price(samples[index]?.cost)}</span>
          </ToldTurn>
        )}
      />
    </Figure>
  );
}
