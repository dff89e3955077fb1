import { useMemo } from "react";
import { Empty, Loading, Page, Trouble } from "../../app/page.tsx";
import { placeOf, useAsked, usePlace } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { To } from "../../billing/links.tsx";
import type { Sample } from "../../billing/sample.ts";
import { useSamples } from "../../billing/samples.ts";
import { Field, Select } from "../../kit/field.tsx";
import { DollarsChart } from "./dollars-chart.tsx";
import { HitRateChart } from "./hit-rate-chart.tsx";
import { OrdersChart } from "./orders-chart.tsx";
import { sumOf } from "./spending.ts";
import { Sums } from "./sums.tsx";
import { TokensChart } from "./tokens-chart.tsx";

const ranges = ["20", "50", "200"] as const;

export default function CostPage() {
  const { agent } = usePlace();
  return <Cost key={agent} agent={agent} />;
}

function Cost({ agent }: { readonly agent: string }) {
  const [asked, setAsked] = useAsked();
  const user = asked("user");
  const range = ranges.find((one) => one === asked("turns")) ?? "50";
  const { data, problem, size, again } = useSamples(agent, { user, limit: Number(range) });
  return (
    <Page
      title="Cost"
      about="What the turns were billed for, section by section, and how much of it the cache saved."
      actions={
        <>
          <Field label="Turns">
            <Select value={range} onChange={({ target }) => setAsked({ turns: target.value }, { replace: false })}>
              {ranges.map((one) => (
                <option key={one} value={one}>
                  the last {one}
                </option>
              ))}
            </Select>
          </Field>
          <UserChoice
            agent={agent}
            user={user}
            nobody="everyone"
            onUser={(next) => setAsked({ user: next }, { replace: false })}
          />
        </>
      }
    >
      {problem && !data ? (
        <Trouble problem={problem} again={again} />
      ) : !data ? (
        <Loading />
      ) : (
        <>
          {size < Number(range) && (
            <p className="mb-3 text-sm text-wait">Only the last {size} are shown here: each of them is very large.</p>
          )}
          <Charts agent={agent} user={user} newestFirst={data.samples} />
        </>
      )}
    </Page>
  );
}

type ChartsProps = {
  readonly agent: string;
  readonly user: string | undefined;
  readonly newestFirst: readonly Sample[];
};

function Charts({ agent, user, newestFirst }: ChartsProps) {
  const samples = useMemo(() => [...newestFirst].reverse(), [newestFirst]);
  const sum = useMemo(() => sumOf(samples), [samples]);
  if (sum.billed === 0)
    return (
      <Empty title={samples.length === 0 ? "No turn was taken yet." : "Nothing was billed yet."}>
        <To href={placeOf(agent, "chat", undefined, { user })}>Take a first turn in the chat</To>: what it cost stands
        here as soon as it is answered.
      </Empty>
    );
  return (
    <div className="space-y-4">
      <Sums sum={sum} />
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
