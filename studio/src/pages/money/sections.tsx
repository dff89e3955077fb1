import type { SectionCostsAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { withQuery } from "../../api/request.ts";
import { Answered } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { type Column, figures, SortedTable } from "../../app/sorted-table.tsx";
import { Button } from "../../kit/field.tsx";
import { Hint } from "../../kit/hint.tsx";
import { Icon, mutabilityIcons } from "../../kit/icon.tsx";
import { count, dollars, plural } from "../../kit/words.ts";
import { Billed } from "./billed.tsx";
import { CostTable, type Range, type Row, restOf, saveCsv } from "./table.tsx";

export const ranges = ["20", "50", "200"] as const;

type SectionsProps = { readonly range: Range; readonly turns: (typeof ranges)[number] };

/** What each section cost over all agents, what was not read from the cache, and of one agent the turns one by one. */
export function Sections({ range, turns }: SectionsProps) {
  const answer = useApi<SectionCostsAnswer>(withQuery("/money/sections", { ...range, turns }));
  const { agent, user } = range;
  return (
    <>
      <Answered of={answer}>
        {(costs) => (
          <>
            <CostTable by="section" title="Section" rows={rowsOf(costs, range)} total={costs.total} />
            <Unread unread={costs.unread} range={range} />
          </>
        )}
      </Answered>
      {agent !== undefined && <Billed key={agent} agent={agent} user={user} limit={Number(turns)} />}
    </>
  );
}

type Part = SectionCostsAnswer["parts"][number];

const partNames: Readonly<Record<Exclude<Part["part"], "section">, string>> = {
  tools: "Tools offered",
  history: "History",
  reply: "Replies",
  opinion: "Second opinions",
};

function rowsOf({ parts, others, unexplained, turns }: SectionCostsAnswer, range: Range): readonly Row[] {
  const one = range.agent !== undefined;
  return [
    ...parts.map(({ agent, part, name, mutability, cost, read, written, fresh }): Row => {
      const sent = part === "section" || part === "tools" || part === "history";
      return {
        key: JSON.stringify([agent, part, name]),
        name: part === "section" ? (name ?? "") : partNames[part],
        href: name === null ? undefined : placeOf(agent, "sections", name, { user: range.user }),
        mark: mutability && <Icon of={mutabilityIcons[mutability]} className="size-3 self-center text-soft" />,
        ...(one ? {} : { agent }),
        ...{ cost, ...(sent ? { input: read + written + fresh, read } : {}) },
      };
    }),
    ...restOf(`Turns before the latest ${count(turns)}, which were not looked at`, others),
    ...restOf("In no request that is kept with its tokens and its price", unexplained),
  ];
}

type UnreadRow = SectionCostsAnswer["unread"][number];

/** Turns that read nothing from the cache, and what it could have spared them. */
function Unread({ unread, range }: { readonly unread: readonly UnreadRow[]; readonly range: Range }) {
  if (unread.length === 0) return null;
  const sum = (of: (row: UnreadRow) => number) => unread.reduce((all, row) => all + of(row), 0);
  const [turns, cost, kept, day] = [
    sum((one) => one.turns),
    sum((one) => one.cost),
    sum((one) => one.kept),
    sum((one) => one.day),
  ];
  const { user, from: since, to: until } = range;
  const href = ({ agent, channel }: UnreadRow) =>
    placeOf(agent, "turns", undefined, { event: "nothing-cached", channel: channel ?? undefined, user, since, until });
  const columns: readonly Column<UnreadRow>[] = [
    { name: "Agent", by: ({ agent }) => agent, show: ({ agent }) => agent },
    { name: "Channel", by: ({ channel }) => channel ?? "", show: ({ channel }) => channel ?? "no channel" },
    figures("Turns", (one) => one.turns, count, href),
    figures("Cost", (one) => one.cost, dollars),
    figures("Could be spared", (one) => one.kept, dollars),
    figures("If kept for a day", (one) => one.day, dollars),
  ];
  const save = () =>
    saveCsv(
      "money-not-cached.csv",
      columns.map(({ name }) => name),
      unread.map((one) => [one.agent, one.channel ?? "", one.turns, one.cost, one.kept, one.day]),
    );
  return (
    <section aria-labelledby="unread" className="space-y-2">
      <h2 id="unread" className="flex items-center gap-1 font-medium">
        Nothing read from the cache
        <Hint about="what was not read">
          Tools and system prompts that an earlier request of these turns began with as well, as far as the provider’s
          cache rules let them be found again. “Could be spared”: sent again while the provider still keeps them. “If
          kept for a day”: sent again within a day; what keeping them longer costs is not subtracted. Histories are not
          counted. At today’s prices.
        </Hint>
      </h2>
      <p className="max-w-4xl text-sm text-soft">
        {plural(turns, "turn")} read nothing from the cache and cost {dollars(cost)}.{" "}
        {day === 0
          ? "None of what they sent had been sent within a day before."
          : `A cache that is kept for a day would have spared ${dollars(day)} of it, one that is kept as long as now ${dollars(kept)}.`}
      </p>
      <SortedTable
        caption="Nothing read from the cache"
        sortKey="unread"
        usual={{ by: "If kept for a day", down: true }}
        rows={unread}
        {...{ columns }}
        keyOf={({ agent, channel }) => JSON.stringify([agent, channel])}
        foot={
          <tr className="border-line border-t">
            <td colSpan={6} className="p-1 text-right">
              <Button kind="quiet" onClick={save}>
                CSV
              </Button>
            </td>
          </tr>
        }
      />
    </section>
  );
}
