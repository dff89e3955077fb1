import type { MoneyAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { withQuery } from "../../api/request.ts";
import { AgentChoice } from "../../app/agents.tsx";
import { Answered, Figure, Page } from "../../app/page.tsx";
import { placeOf, useAsked } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { Choices, Field, Select } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, dayText, dollars, plural, share } from "../../kit/words.ts";
import { type Days, dayRanges, firstDay } from "./days.ts";
import { Limits } from "./limits.tsx";
import { ranges, Sections } from "./sections.tsx";
import { CostTable, type Group, groups, type Range, rowsOf } from "./table.tsx";

/** What was spent, over all agents or by one: by whatever `?by=` says. `?day=` is a single day. */
export default function MoneyPage() {
  const [asked, setAsked] = useAsked();
  const [agent, user, day] = [asked("agent"), asked("user"), asked("day")];
  const days: Days = dayRanges.find(([one]) => one === asked("days"))?.[0] ?? "30";
  const turns = ranges.find((one) => one === asked("turns")) ?? "200";
  const by: Group = groups.find(([one]) => one === asked("by"))?.[0] ?? (agent === undefined ? "agent" : "section");
  const range: Range = { agent, user, from: day ?? firstDay(days, new Date()), to: day };
  const choose = (change: Readonly<Record<string, string | undefined>>) =>
    setAsked({ sort: undefined, ...change }, { replace: false });
  const answer = useApi<MoneyAnswer>(withQuery("/money", range));
  return (
    <Page
      title="Money"
      hint="What was spent stays here when a turn is erased. Saved and unread: at today’s prices, which may not be those that were paid. Days are UTC."
      actions={
        <>
          <Field label="Days">
            <Select value={day ?? days} onChange={({ target }) => choose({ days: target.value, day: undefined })}>
              {day !== undefined && <option value={day}>{dayText(day)}</option>}
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
              onChoose={(one) => choose({ agent: one?.name, by: undefined })}
            />
          </div>
          <UserChoice agent={agent} user={user} nobody="everyone" onUser={(next) => choose({ user: next })} />
        </>
      }
    >
      <Answered of={answer}>
        {(money) => (
          <div className="space-y-4">
            <Sums total={money.total} range={range} />
            <Limits {...money} />
            <div className="flex flex-wrap items-end gap-3">
              <Choices label="By" of={groups} chosen={by} onChoose={(one) => choose({ by: one })} />
              {by === "section" && (
                <Field label="Turns">
                  <Select value={turns} onChange={({ target }) => choose({ turns: target.value })}>
                    {ranges.map((one) => (
                      <option key={one} value={one}>
                        the latest {one}
                      </option>
                    ))}
                  </Select>
                </Field>
              )}
            </div>
            {by === "section" ? (
              <Sections range={range} turns={turns} />
            ) : (
              <CostTable
                by={by}
                title={groups.find(([one]) => one === by)?.[1] ?? ""}
                rows={rowsOf(by, money, range)}
                total={money.total.cost}
              />
            )}
          </div>
        )}
      </Answered>
    </Page>
  );
}

/** What all turns of the range came to, in figures. */
function Sums({ total, range }: Pick<MoneyAnswer, "total"> & { readonly range: Range }) {
  const { input, read, written, output, cost, priced, turns, saved } = total;
  const { agent, user, from: since, to: until } = range;
  const fresh = Math.max(0, input - read - written);
  const known = agent === undefined ? undefined : placeOf(agent, "turns", undefined, { user, since, until });
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure name="Cost" value={priced === 0 && cost === 0 ? "unknown" : dollars(cost)}>
        {priced === 0
          ? "no turn that is kept has a price"
          : priced < turns
            ? `the price of ${plural(turns - priced, "turn")} is unknown`
            : `${plural(turns, "turn")} are kept`}
      </Figure>
      <Figure name="Read from the cache" value={share(read, input)}>
        {count(read)} of {plural(input, "input token")}
        {saved !== null && saved !== 0 && `; caching ${saved > 0 ? "saved" : "cost"} ${dollars(Math.abs(saved))}`}
      </Figure>
      <Figure name="Fresh or written to the cache" value={count(fresh + written)}>
        {count(fresh)} fresh, {count(written)} written
      </Figure>
      <Figure name="Turns" value={known ? <TextLink href={known}>{count(turns)}</TextLink> : count(turns)}>
        {plural(output, "output token")}
      </Figure>
    </dl>
  );
}
