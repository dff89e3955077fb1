import { useMemo } from "react";
import { add, allOf, type Billing, nothing } from "../../billing/bill.ts";
import { SolidityLegend } from "../../billing/bill-table.tsx";
import { ToSection } from "../../billing/links.tsx";
import type { Sample } from "../../billing/sample.ts";
import { Figure, Plot } from "../../chart/plot.tsx";
import { count, plural, share, shortCount } from "../../kit/words.ts";
import { outlines } from "./columns.ts";
import { daysOf, itemsOf } from "./items.ts";
import { shadesOf } from "./shade.ts";
import { type Spending, spendingOf } from "./spending.ts";
import { ToldTurn, TurnTime } from "./told-turn.tsx";

const whole = (billings: readonly Billing[]) => billings.reduce(add, nothing);
const figures = (billing: Billing) => {
  if (allOf(billing) === 0) return "nothing was counted";
  return `${count(billing.read)} read, ${count(billing.written)} written, ${count(billing.fresh)} fresh`;
};

/** What each turn was billed, by section, and whether it came from the cache. */
export function TokensChart({ agent, samples }: { readonly agent: string; readonly samples: readonly Sample[] }) {
  const spending = useMemo(() => spendingOf(samples), [samples]);
  const { parts, turns } = spending;
  const shades = useMemo(() => shadesOf(parts), [parts]);
  const sums = useMemo(() => turns.map(({ billings }) => whole(billings)), [turns]);
  const columns = useMemo(() => turns.map(({ billings }) => billings), [turns]);
  const items = useMemo(
    () => itemsOf(agent, samples, (_, index) => figures(sums[index] ?? nothing)),
    [agent, samples, sums],
  );
  return (
    <Figure
      title="Billed tokens by section"
      about="Each column is a turn, all its steps together: tools at the bottom, then the prompt, the history, and dynamic state on top."
      table={{
        head: ["Turn", "All", ...parts.map(({ name }) => name)],
        rows: turns.map(({ sample, billings }, index) => ({
          key: sample.turn,
          cells: [
            <TurnTime key="" agent={agent} sample={sample} />,
            count(allOf(sums[index] ?? nothing)),
            ...billings.map((billing) => count(allOf(billing))),
          ],
        })),
      }}
    >
      <Plot
        label="Billed tokens of each turn, by section"
        items={items}
        most={Math.max(0, ...sums.map(allOf))}
        height={240}
        value={shortCount}
        days={(apart) => daysOf(samples, apart)}
        draw={(ground) =>
          outlines(columns, ground).map(({ part, kind, path }) => (
            <path key={`${part}${kind}`} d={path} style={{ fill: shades[part]?.(kind) }} />
          ))
        }
        told={(index) => (
          <ToldTurn agent={agent} sample={samples[index]}>
            <span>{plural(allOf(sums[index] ?? nothing), "token")}</span>
            <span className="text-soft">{figures(sums[index] ?? nothing)}</span>
          </ToldTurn>
        )}
      />
      <Parts agent={agent} spending={spending} shades={shades} />
    </Figure>
  );
}

type PartsProps = {
  readonly agent: string;
  readonly spending: Spending;
  readonly shades: ReturnType<typeof shadesOf>;
};

/** What the colours are, and how much each part came to. */
function Parts({ agent, spending: { parts, turns }, shades }: PartsProps) {
  const sums = parts.map((_, index) => whole(turns.map(({ billings }) => billings[index] ?? nothing)));
  const all = sums.reduce((sum, one) => sum + allOf(one), 0);
  return (
    <div className="mt-2 mb-3 space-y-2 text-sm">
      <ul className="grid grid-cols-1 gap-x-8 gap-y-0.5 min-[480px]:grid-cols-2 xl:grid-cols-3 2xl:grid-cols-4">
        {parts.map(({ key, kind, name }, index) => (
          <li key={key} className="flex min-w-0 items-baseline gap-2">
            <span
              aria-hidden="true"
              className="size-2.5 shrink-0 self-center rounded-sm"
              style={{ background: shades[index]?.("fresh") }}
            />
            <span className="min-w-0 truncate">
              {kind === "section" ? <ToSection agent={agent} section={name} /> : name}
            </span>
            <span className="ml-auto shrink-0 text-soft tabular-nums" title={figures(sums[index] ?? nothing)}>
              {count(allOf(sums[index] ?? nothing))} · {share(allOf(sums[index] ?? nothing), all)}
            </span>
          </li>
        ))}
      </ul>
      <SolidityLegend />
    </div>
  );
}
