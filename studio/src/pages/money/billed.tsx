import { useMemo } from "react";
import { Empty, Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { To } from "../../billing/links.tsx";
import { type Sample, useSamples } from "../../billing/sample.ts";
import { count, dayText, plural } from "../../kit/words.ts";
import { DollarsChart } from "./dollars-chart.tsx";
import { HitRateChart } from "./hit-rate-chart.tsx";
import { OrdersChart } from "./orders-chart.tsx";
import { sumOf } from "./spending.ts";
import { TokensChart } from "./tokens-chart.tsx";

export const ranges = ["20", "50", "200"] as const;

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
        <To href={placeOf(agent, "chat", undefined, { user })}>Start a conversation</To>: each answered turn shows its
        cost here.
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
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        <HitRateChart agent={agent} samples={samples} />
        {sum.cost > 0 && <DollarsChart agent={agent} samples={samples} />}
        <div className={sum.cost > 0 ? "xl:col-span-2" : ""}>
          <OrdersChart agent={agent} samples={samples} />
        </div>
      </div>
    </div>
  );
}
