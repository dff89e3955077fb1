import type { MoneyAnswer } from "charter/answers";
import type { ReactNode } from "react";
import { count, dollars, plural, share } from "../../kit/words.ts";

/** What all turns of the range came to, in figures. */
export function Sums({ total }: Pick<MoneyAnswer, "total">) {
  const { input, read, written, output, cost, priced, turns, saved } = total;
  const fresh = Math.max(0, input - read - written);
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure name="Read from the cache" value={share(read, input)}>
        {count(read)} of {plural(input, "input token")}
        {saved !== null && saved !== 0 && `; caching ${saved > 0 ? "saved" : "cost"} ${dollars(Math.abs(saved))}`}
      </Figure>
      <Figure name="Fresh or written to the cache" value={count(fresh + written)}>
        {count(fresh)} fresh, {count(written)} written
      </Figure>
      <Figure name="Cost" value={priced === 0 ? "unknown" : dollars(cost)}>
        {priced === 0
          ? "the price is unknown"
          : priced < turns
            ? `for ${plural(priced, "turn")} of ${count(turns)}; the price of the others is unknown`
            : `${dollars(cost / priced)} per turn`}
      </Figure>
      <Figure name="Turns" value={count(turns)}>
        {plural(output, "output token")}
      </Figure>
    </dl>
  );
}

function Figure(props: { readonly name: string; readonly value: string; readonly children: ReactNode }) {
  const { name, value, children } = props;
  return (
    <div className="min-w-0 rounded-lg border border-line bg-card px-4 py-3">
      <dt className="text-soft text-xs">{name}</dt>
      <dd className="font-semibold text-xl tabular-nums tracking-tight">{value}</dd>
      <dd className="text-soft text-xs tabular-nums">{children}</dd>
    </div>
  );
}
