import type { MoneyAnswer } from "charter/answers";
import type { ReactNode } from "react";
import { housePlaceOf, placeOf } from "../../app/place.ts";
import { type Column, figures, SortedTable } from "../../app/sorted-table.tsx";
import { Button } from "../../kit/field.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { dollars, isCounterpart, share, shownName } from "../../kit/words.ts";

export const groups = [
  ["agent", "Agent"],
  ["person", "Person"],
  ["model", "Model"],
  ["channel", "Channel"],
  ["schedule", "Schedule"],
  ["day", "Day"],
  ["section", "Section"],
] as const;
export type Group = (typeof groups)[number][0];

/** What is asked about: an agent, a person, days (UTC), both included. */
export type Range = Readonly<Record<"agent" | "user" | "from" | "to", string | undefined>>;

/** One line of a table: what it is of, where its name and its cost lead, and what it came to. */
export type Row = {
  readonly key: string;
  readonly name: string;
  readonly href?: string | undefined;
  /** The turns it was paid for, where a list of them can be asked for. */
  readonly turnsHref?: string | undefined;
  readonly mark?: ReactNode;
  readonly agent?: string;
  readonly cost: number;
  readonly turns?: number;
  readonly input?: number;
  readonly read?: number;
};

/** The rows of a table, and what is left of the total where not every row has a turn that is kept. */
export function rowsOf(
  by: Exclude<Group, "section">,
  money: MoneyAnswer,
  { agent, user, ...days }: Range,
): readonly Row[] {
  const [since, until] = [days.from, days.to];
  const turns = (query: Readonly<Record<string, string | undefined>>, of = agent) =>
    of === undefined ? undefined : placeOf(of, "turns", undefined, { user, since, until, ...query });
  const to = (query: Readonly<Record<string, string | undefined>>) =>
    housePlaceOf("money", undefined, { agent, user, day: days.to, ...query });
  if (by === "agent")
    return money.agents.map(({ agent: name, ...one }) => {
      const links = { href: to({ agent: name, by: "section" }), turnsHref: turns({ sort: "cost" }, name) };
      return { ...one, ...links, key: name, name };
    });
  if (by === "person")
    return money.users.map(({ user, ...one }) => {
      const named = { ...one, key: user, name: shownName(user) };
      if (user === "") return { ...named, name: "Nobody’s, or of people who were erased" };
      const href = isCounterpart(user) ? undefined : housePlaceOf("people", user);
      return { ...named, href, turnsHref: turns({ user }) ?? to({ user, by: "agent" }) };
    });
  if (by === "model")
    return money.models.map((one) => {
      return { ...one, key: one.model, name: one.model, turnsHref: turns({ model: one.model }) };
    });
  if (by === "day")
    return money.days.map(({ day, ...one }) => {
      const links = { href: to({ day, by: "agent" }), turnsHref: turns({ since: day, until: day }) };
      return { ...one, ...links, key: day, name: day };
    });
  const kept: readonly Row[] =
    by === "channel"
      ? money.channels.map(({ channel, ...one }) => {
          const turnsHref = channel === null ? undefined : turns({ channel });
          return { ...one, key: channel ?? "", name: channel ?? "no channel", turnsHref };
        })
      : money.schedules.map(({ agent: owner, schedule, title, ...one }) => {
          const href = schedule === null ? undefined : placeOf(owner, "schedules", undefined, { schedule });
          const links = { href, turnsHref: turns({ channel: "scheduled" }, owner) };
          const key = schedule ?? ` gone ${owner}`;
          const name = title ?? "Schedules whose runs are no longer kept";
          return { ...one, ...links, ...(agent === undefined ? { agent: owner } : {}), key, name };
        });
  const others = money.total.cost - money.unexplained - kept.reduce((sum, { cost }) => sum + cost, 0);
  return [
    ...kept,
    ...(by === "schedule" ? [{ key: " others", name: "Turns of no schedule", cost: rounded(others) }] : []),
    ...restOf("In no turn that is kept: erased, second opinions, trials", money.unexplained),
  ];
}

/** A row for the rest of a total, if there is any. */
export function restOf(name: string, cost: number, more: Partial<Row> = {}): readonly Row[] {
  return rounded(cost) === 0 ? [] : [{ key: ` ${name}`, name, cost: rounded(cost), ...more }];
}

/** To a millionth of a dollar, as money is kept. */
const rounded = (cost: number) => Math.round(cost * 1e6) / 1e6;

/** Rows that add up to a total, sorted by any head, and the same as a file. */
export function CostTable(props: {
  readonly by: string;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly total: number;
}) {
  const { by, title, rows, total } = props;
  const ofAgents = rows.some(({ agent }) => agent !== undefined);
  const columns: readonly Column<Row>[] = [
    {
      name: title,
      by: ({ name }) => name,
      show: ({ name, href, mark }) => (
        <span className="inline-flex items-baseline gap-1.5">
          {mark}
          {href ? <TextLink href={href}>{name}</TextLink> : <bdi>{name}</bdi>}
        </span>
      ),
    },
    ...(ofAgents ? [{ name: "Agent", by: ({ agent = "" }: Row) => agent, show: ({ agent }: Row) => agent }] : []),
    figures(
      "Cost",
      ({ cost }) => cost,
      dollars,
      ({ turnsHref }) => turnsHref,
    ),
    { name: "Share", figures: true, show: ({ cost }) => (total === 0 ? "–" : share(Math.max(0, cost), total)) },
    figures("Input tokens", ({ input }) => input),
    figures(
      "Read from the cache",
      ({ read, input }) => (input && read !== undefined ? read / input : null),
      (rate) => share(rate, 1),
    ),
  ];
  return (
    <SortedTable
      caption={`By ${title.toLowerCase()}`}
      {...{ columns, rows }}
      keyOf={({ key }) => key}
      usual={by === "day" ? { by: title, down: true } : { by: "Cost", down: true }}
      foot={
        <tr className="border-line border-t font-medium">
          <th scope="row" colSpan={ofAgents ? 2 : 1} className="px-2 py-1.5 pl-4 text-left font-medium">
            Total
          </th>
          <td className="px-2 text-right tabular-nums">{dollars(total)}</td>
          <td colSpan={3} className="p-1 text-right">
            <Button
              kind="quiet"
              onClick={() => saveCsv(`money-by-${by}.csv`, ...cellsOf(title, ofAgents, rows, total))}
            >
              CSV
            </Button>
          </td>
        </tr>
      }
    />
  );
}

function cellsOf(title: string, ofAgents: boolean, rows: readonly Row[], total: number) {
  const line = (name: string, agent: string, rest: readonly Cell[]) => [name, ...(ofAgents ? [agent] : []), ...rest];
  const head = ["Cost in dollars", "Turns", "Input tokens", "Read from the cache"];
  return [
    line(title, "Agent", head) as string[],
    [
      ...rows.map(({ name, agent = "", cost, turns = "", input = "", read = "" }) =>
        line(name, agent, [cost, turns, input, read]),
      ),
      line("Total", "", [total, "", "", ""]),
    ],
  ] as const;
}

/** Saves a table as a file. */
export function saveCsv(name: string, head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  saveFile(name, "text/csv", csvOf(head, rows));
}

type Cell = string | number;

/** A table as a file that spreadsheets open. What they would run as a formula is words to them. */
export function csvOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [head, ...rows].map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
}

function cellOf(cell: Cell): string {
  if (typeof cell === "number") return String(cell);
  const harmless = /^\s*[=+\-@\t\r|%＝＋－＠]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
