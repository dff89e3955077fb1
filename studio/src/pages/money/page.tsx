import type { MoneyAnswer } from "charter/answers";
import type { ReactNode } from "react";
import { useApi } from "../../api/query-client.ts";
import { withQuery } from "../../api/request.ts";
import { AgentChoice } from "../../app/agents.tsx";
import { Loading, Page, Trouble } from "../../app/page.tsx";
import { housePlaceOf, placeOf, useAsked } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { Button, Choices, Field, Select } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { dollars, share, shownName } from "../../kit/words.ts";
import { Billed, ranges } from "./billed.tsx";
import { csvOf } from "./csv.ts";
import { type Days, dayRanges, firstDay } from "./day-range.ts";
import { Sums } from "./sums.tsx";

const groups = [
  ["agent", "Agent"],
  ["person", "Person"],
  ["model", "Model"],
  ["channel", "Channel"],
  ["schedule", "Schedule"],
  ["day", "Day"],
  ["section", "Section"],
] as const;
type Group = (typeof groups)[number][0];

/** What was spent, over all agents or by one: by whatever `?by=` says. */
export default function MoneyPage() {
  const [asked, setAsked] = useAsked();
  const [agent, user] = [asked("agent"), asked("user")];
  const days: Days = dayRanges.find(([one]) => one === asked("days"))?.[0] ?? "30";
  const range = ranges.find((one) => one === asked("turns")) ?? "50";
  const by: Group = groups.find(([one]) => one === asked("by"))?.[0] ?? (agent === undefined ? "agent" : "section");
  const { data, error, refetch } = useApi<MoneyAnswer>(
    withQuery("/money", { agent, user, from: firstDay(days, new Date()) }),
  );
  return (
    <Page
      title="Money"
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
          <div>
            <span className="mb-1 block text-soft text-xs">Agent</span>
            <AgentChoice
              agent={agent}
              label="Agent that spent it"
              onChoose={(one) => setAsked({ agent: one?.name, by: undefined }, { replace: false })}
            />
          </div>
          <UserChoice
            agent={agent}
            user={user}
            nobody="everyone"
            onUser={(next) => setAsked({ user: next }, { replace: false })}
          />
        </>
      }
    >
      {error && <Trouble problem={error} again={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <div className="space-y-4">
          <Sums total={data.total} />
          <div className="flex flex-wrap items-end gap-3">
            <Choices label="By" of={groups} chosen={by} onChoose={(one) => setAsked({ by: one }, { replace: false })} />
            {by === "section" && agent !== undefined && (
              <Field label="Turns">
                <Select value={range} onChange={({ target }) => setAsked({ turns: target.value }, { replace: false })}>
                  {ranges.map((one) => (
                    <option key={one} value={one}>
                      the latest {one}
                    </option>
                  ))}
                </Select>
              </Field>
            )}
          </div>
          {by !== "section" ? (
            <Table by={by} money={data} agent={agent} days={days} />
          ) : agent === undefined ? (
            <p className="text-sm text-soft">Sections are an agent’s own: choose one above.</p>
          ) : (
            <Billed key={agent} agent={agent} user={user} limit={Number(range)} />
          )}
        </div>
      )}
    </Page>
  );
}

type Row = {
  readonly key: string;
  readonly name: string;
  readonly href?: string | undefined;
  readonly cost: number;
  readonly turns?: number;
  readonly input?: number;
  readonly read?: number;
  readonly saved?: number | null;
};

/** The rows of a table, and what is left of the total where not every row has a turn that is kept. */
function rowsOf(
  by: Exclude<Group, "section">,
  money: MoneyAnswer,
  agent: string | undefined,
  days: Days,
): readonly Row[] {
  const to = (query: Readonly<Record<string, string>>) => housePlaceOf("money", undefined, { days, ...query });
  if (by === "agent")
    return money.agents.map(({ agent: name, ...one }) => ({ ...one, key: name, name, href: to({ agent: name }) }));
  if (by === "person")
    return money.users.map(({ user, ...one }) => ({
      ...{ ...one, key: user, name: user === "" ? "Nobody’s, or of people who were erased" : shownName(user) },
      href: user === "" || user.startsWith("counterpart:") ? undefined : housePlaceOf("people", user),
    }));
  if (by === "model") return money.models.map((one) => ({ ...one, key: one.model, name: one.model }));
  if (by === "day") return money.days.map((one) => ({ ...one, key: one.day, name: one.day }));
  const kept: readonly Row[] =
    by === "channel"
      ? money.channels.map(({ channel, ...one }) => ({
          ...{ ...one, key: channel ?? "", name: channel ?? "no channel" },
          href: agent === undefined || channel === null ? undefined : placeOf(agent, "turns", undefined, { channel }),
        }))
      : money.schedules.map(({ schedule, title, ...one }) => ({
          ...{ ...one, key: schedule ?? " gone", name: title ?? "Schedules whose runs are no longer kept" },
          href:
            agent === undefined || schedule === null ? undefined : placeOf(agent, "schedules", undefined, { schedule }),
        }));
  const told = kept.reduce((sum, { cost }) => sum + cost, 0);
  const others = money.total.cost - money.unexplained - told;
  const rest = { key: " rest", name: "In no turn that is kept: erased, second opinions, trials" };
  return [
    ...kept,
    ...(by === "schedule" ? [{ key: " others", name: "Turns of no schedule", cost: rounded(others) }] : []),
    ...(rounded(money.unexplained) === 0 ? [] : [{ ...rest, cost: rounded(money.unexplained) }]),
  ];
}

/** To a millionth of a dollar, as money is kept. */
const rounded = (cost: number) => Math.round(cost * 1e6) / 1e6;

type TableProps = {
  readonly by: Exclude<Group, "section">;
  readonly money: MoneyAnswer;
  readonly agent: string | undefined;
  readonly days: Days;
};

function Table({ by, money, agent, days }: TableProps) {
  const rows = rowsOf(by, money, agent, days);
  const title = groups.find(([one]) => one === by)?.[1] ?? "";
  const total = money.total.cost;
  const save = () => {
    const cells = rows.map(({ name, cost, turns, input, read }) => [name, cost, turns ?? "", input ?? "", read ?? ""]);
    const csv = csvOf(
      [title, "Cost in dollars", "Turns", "Input tokens", "Read from the cache"],
      [...cells, ["Total", total, "", "", ""]],
    );
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv], { type: "text/csv" }));
    link.download = `money-by-${by}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const cell = (words: ReactNode) => <td className="whitespace-nowrap p-2 text-right">{words}</td>;
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-card">
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">By {title.toLowerCase()}</caption>
        <thead>
          <tr className="text-soft text-xs">
            <th scope="col" className="p-2 text-left font-normal">
              {title}
            </th>
            {["Cost", "Share", "Read from the cache"].map((name) => (
              <th key={name} scope="col" className="p-2 text-right font-normal">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, href, cost, input, read }) => (
            <tr key={key} className="border-line border-t">
              <th scope="row" className="p-2 text-left font-normal [overflow-wrap:anywhere]">
                {href ? <TextLink href={href}>{name}</TextLink> : <bdi>{name}</bdi>}
              </th>
              {cell(dollars(cost))}
              {cell(total === 0 ? "–" : share(Math.max(0, cost), total))}
              {cell(input === undefined || read === undefined ? "–" : share(read, input))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="border-line border-t font-medium">
            <th scope="row" className="p-2 text-left font-medium">
              Total
            </th>
            {cell(dollars(total))}
            <td colSpan={2} className="p-1 text-right">
              <Button kind="quiet" onClick={save}>
                CSV
              </Button>
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
