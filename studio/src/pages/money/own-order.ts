import { billOf } from "../../billing/bill.ts";
import type { Sample } from "../../billing/sample.ts";
import { running } from "../../chart/scale.ts";
import { count, dollars, plural } from "../../kit/words.ts";

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
