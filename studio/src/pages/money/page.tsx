import type { CostAnswer } from "charter/answers";
import { useMemo } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Empty, Loading, Page, Trouble } from "../../app/page.tsx";
import { placeOf, useAsked } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { To } from "../../billing/links.tsx";
import type { Sample } from "../../billing/sample.ts";
import { useSamples } from "../../billing/samples.ts";
import { Field, Select } from "../../kit/field.tsx";
import { count, dayText, dollars, plural, share } from "../../kit/words.ts";
import { type Days, dayRanges, firstDay } from "./day-range.ts";
import { DollarsChart } from "./dollars-chart.tsx";
import { HitRateChart } from "./hit-rate-chart.tsx";
import { OrdersChart } from "./orders-chart.tsx";
import { sumOf } from "./spending.ts";
import { Sums } from "./sums.tsx";
import { TokensChart } from "./tokens-chart.tsx";

const ranges = ["20", "50", "200"] as const;

export default function MoneyPage() {
  const [asked] = useAsked();
  const agent = asked("agent");
  return agent === undefined ? <Loading /> : <Cost key={agent} agent={agent} />;
}

function Cost({ agent }: { readonly agent: string }) {
  const [asked, setAsked] = useAsked();
  const user = asked("user");
  const range = ranges.find((one) => one === asked("turns")) ?? "50";
  const days: Days = dayRanges.find(([one]) => one === asked("days"))?.[0] ?? "30";
  const path = withQuery(`/agents/${encodeName(agent)}/cost`, { user, from: firstDay(days, new Date()) });
  const cost = useApi<CostAnswer>(path);
  const { data, problem, size, again } = useSamples(agent, { user, limit: Number(range) });
  return (
    <Page
      title="Money"
      about="What the turns cost in these days, and what the latest of them were billed for, section by section."
      actions={
        <>
          <Field label="Days">
            <Select value={days} onChange={({ target }) => setAsked({ days: target.value }, { replace: false })}>
              {dayRanges.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </Select>
          </Field>
          <Field label="Turns">
            <Select value={range} onChange={({ target }) => setAsked({ turns: target.value }, { replace: false })}>
              {ranges.map((one) => (
                <option key={one} value={one}>
                  the latest {one}
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
      {cost.error && <Trouble problem={cost.error} again={() => cost.refetch()} />}
      {problem && !data ? (
        <Trouble problem={problem} again={again} />
      ) : !data ? (
        <Loading />
      ) : (
        <>
          {size < Number(range) && (
            <p className="mb-3 text-sm text-wait">
              Only the latest {count(size)} are shown here: each of them is very large.
            </p>
          )}
          <Charts agent={agent} user={user} newestFirst={data.samples} more={data.more} cost={cost.data} />
        </>
      )}
    </Page>
  );
}

type ChartsProps = {
  readonly agent: string;
  readonly user: string | undefined;
  readonly newestFirst: readonly Sample[];
  readonly more: boolean;
  readonly cost: CostAnswer | undefined;
};

function Charts({ agent, user, newestFirst, more, cost }: ChartsProps) {
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
      {cost && <Sums total={cost.total} />}
      {cost && cost.models.length > 0 && <Models models={cost.models} />}
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

/** What each model was paid in these days. */
function Models({ models }: Pick<CostAnswer, "models">) {
  return (
    <table className="w-full text-sm tabular-nums max-sm:text-xs">
      <caption className="mb-1 text-left font-medium">By model</caption>
      <thead>
        <tr className="border-line border-b text-soft text-xs">
          <th scope="col" className="py-1 pr-4 text-left font-medium">
            Model
          </th>
          {["Cost", "Input tokens", "Read from the cache", "Output tokens"].map((name) => (
            <th key={name} scope="col" className="py-1 pr-4 text-right font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {models.map(({ model, cost, input, read, output }) => (
          <tr key={model} className="border-line/60 border-b last:border-0">
            <th scope="row" className="py-1 pr-4 text-left font-normal [overflow-wrap:anywhere]">
              {model}
            </th>
            {[dollars(cost), count(input), share(read, input), count(output)].map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column.
              <td key={index} className="whitespace-nowrap py-1 pr-4 text-right max-sm:pr-2">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
