import type { ReactNode } from "react";
import { allOf } from "../../billing/bill.ts";
import { count, dollars, plural, share } from "../../kit/words.ts";
import type { Sum } from "./spending.ts";

/** What all of it came to, in figures. */
export function Sums({ sum }: { readonly sum: Sum }) {
  const { read, written, fresh, output, cost, priced, turns } = sum;
  const input = allOf(sum);
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure name="Prefix hit rate" value={share(read, input)}>
        {count(read)} of {count(input)} tokens
      </Figure>
      <Figure name="Billed as fresh or written" value={count(fresh + written)}>
        {count(fresh)} fresh, {count(written)} written
      </Figure>
      <Figure name="Cost" value={priced === 0 ? "unknown" : dollars(cost)}>
        {priced === 0
          ? "the price is not known"
          : priced < turns
            ? `${plural(priced, "turn")} of ${turns}: of the others the price is not known`
            : `${dollars(cost / priced)} a turn`}
      </Figure>
      <Figure name="Turns" value={count(turns)}>
        {count(output)} tokens of output
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
