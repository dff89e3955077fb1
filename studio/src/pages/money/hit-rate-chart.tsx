import { allOf, chargedFor, hitRate } from "../../billing/bill.ts";
import { MarkIcon } from "../../billing/mark-icon.tsx";
import type { Sample } from "../../billing/sample.ts";
import { Figure, type Ground, Plot } from "../../chart/plot.tsx";
import { linePath } from "../../chart/scale.ts";
import { count, share } from "../../kit/words.ts";
import { daysOf, itemsOf } from "./items.ts";
import { sumOf } from "./spending.ts";
import { ToldTurn, TurnTime } from "./told-turn.tsx";

const percent = (rate: number | undefined) => (rate === undefined ? "–" : share(rate, 1));

/** How much of each turn came from the cache. */
export function HitRateChart({ agent, samples }: { readonly agent: string; readonly samples: readonly Sample[] }) {
  const rates = samples.map((sample) => hitRate(chargedFor(sample)));
  const all = hitRate(sumOf(samples));
  const draw = ({ middle, y, column, zoom }: Ground) => (
    <>
      {all !== undefined && (
        <line x1="0" x2="100%" y1={y(all)} y2={y(all)} className="stroke-accent" strokeDasharray="5 4" />
      )}
      <path
        d={linePath(rates.map((rate, at) => (rate === undefined ? undefined : { x: middle(at), y: y(rate) })))}
        fill="none"
        strokeLinecap="round"
        strokeLinejoin="round"
        strokeWidth={1.75 * zoom}
        className="stroke-live"
      />
      {rates.map((rate, at) =>
        rate === undefined || column < 5 ? null : (
          <circle
            key={samples[at]?.turn}
            cx={middle(at)}
            cy={y(rate)}
            r={3 * zoom}
            className={samples[at]?.missed ? "fill-bad" : "fill-live"}
          />
        ),
      )}
    </>
  );
  return (
    <Figure
      title="Read from the cache"
      about={`${percent(all)} of the input tokens of these turns were read from the cache. Red points: cache misses.`}
      table={{
        head: ["Turn", "Share", "Read", "Sent"],
        rows: samples.map((sample, index) => {
          const bill = chargedFor(sample);
          const counts = bill ? [count(bill.read), count(allOf(bill))] : ["–", "–"];
          return {
            key: sample.turn,
            cells: [<TurnTime key="" agent={agent} sample={sample} />, percent(rates[index]), ...counts],
          };
        }),
      }}
    >
      <Plot
        label="How much of each turn was read from the cache"
        items={itemsOf(agent, samples, (_, index) => percent(rates[index]))}
        most={1}
        end={1}
        height={150}
        value={(rate) => `${Math.round(rate * 100)} %`}
        days={(apart) => daysOf(samples, apart)}
        draw={draw}
        told={(index) => (
          <ToldTurn agent={agent} sample={samples[index]}>
            <span>{percent(rates[index])}</span>
            <Why sample={samples[index]} />
          </ToldTurn>
        )}
      />
    </Figure>
  );
}

function Why({ sample }: { readonly sample: Sample | undefined }) {
  if (!sample?.missed && !sample?.broke) return null;
  return (
    <span className="inline-flex items-baseline gap-1.5">
      {sample.missed && <MarkIcon kind="broken" size={11} />}
      <span className="[overflow-wrap:anywhere]">{sample.broke?.says ?? "Why is not known."}</span>
    </span>
  );
}
