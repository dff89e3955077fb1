import type { Receipt } from "charter";
import { finalCuts } from "../../../assembly/assembled.ts";
import { count } from "../../../kit/words.ts";

const reasons = {
  empty: "empty",
  unavailable: "could not be read",
  "gave-way": "trimmed to fit",
  "not-in-edition": "not in this edition",
} as const;

const maxAtFirst = 20;

/** What a prompt gave up to fit, and which sections were not in it. */
export function GaveWay({ receipt }: { readonly receipt: Pick<Receipt, "cuts" | "omitted"> }) {
  const cuts = finalCuts(receipt.cuts);
  // A section that was trimmed away whole is told once, among the cuts.
  const omitted = receipt.omitted.filter(({ name }) => !cuts.some(({ section }) => section === name));
  if (cuts.length + omitted.length === 0) return null;
  return (
    <section className="text-sm">
      <h3 className="mb-1 font-medium">Trimmed or left out</h3>
      <ul className="space-y-0.5">
        {cuts.slice(0, maxAtFirst).map(({ section, missing, kept, unit, because }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they were cut in this order.
          <li key={index} className="[overflow-wrap:anywhere]">
            <bdi className="font-medium">{section}</bdi>: {count(missing)} of {count(missing + kept)} {unit} cut,{" "}
            {because}
          </li>
        ))}
        {omitted.slice(0, maxAtFirst).map(({ name, reason }) => (
          <li key={name} className="text-soft [overflow-wrap:anywhere]">
            <bdi>{name}</bdi>: {reasons[reason]}
          </li>
        ))}
        {more(cuts.length) + more(omitted.length) > 0 && (
          <li className="text-soft">and {count(more(cuts.length) + more(omitted.length))} more</li>
        )}
      </ul>
    </section>
  );
}

const more = (all: number) => Math.max(0, all - maxAtFirst);
