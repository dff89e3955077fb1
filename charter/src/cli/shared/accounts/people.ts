import { listed, Problem } from "../../../prompt/problem.ts";
import { checkUser, checkZone } from "../../../store/scope.ts";
import { type CsvRow, readCsv } from "./csv.ts";

/** Somebody in a list of people. */
export type PersonRow = {
  readonly user: string;
  readonly agent: string;
  readonly zone?: string;
  /** Written beside their link, and kept nowhere. */
  readonly email?: string;
};

const known = ["user", "email", "agent", "zone"] as const;
type Column = (typeof known)[number];

/** Everyone in a file; or a Problem that names each line that cannot be. `agent` is for who names none. */
export function readPeople(
  text: string,
  about: { readonly file: string; readonly agents: readonly string[]; readonly agent: string | undefined },
): PersonRow[] {
  const [head, ...rows] = readCsv(text) ?? [];
  const columns = (head?.cells ?? []).map((name) => name.trim().toLowerCase()) as Column[];
  const unknown = columns.find((name) => !known.includes(name));
  if (!columns.includes("user") || unknown !== undefined || new Set(columns).size < columns.length)
    throw badPeople(
      unknown === undefined
        ? `${about.file} has no first line that names its columns, with “user” among them.`
        : `${about.file} has a column “${unknown}”.`,
    );
  if (rows.length === 0) throw badPeople(`${about.file} names nobody.`);
  const seen = new Map<string, number>();
  const read = rows.map((row) => readRow(row, columns, about, seen));
  const faults = read.filter((one) => typeof one === "string");
  if (faults.length > 0) throw badPeople(`${about.file}: ${faults.join(" ")}`);
  return read as PersonRow[];
}

function readRow(
  { line, cells }: CsvRow,
  columns: readonly Column[],
  { agents, agent: usual }: { readonly agents: readonly string[]; readonly agent: string | undefined },
  seen: Map<string, number>,
): PersonRow | string {
  if (cells.length > columns.length) return `Line ${line} has more cells than there are columns.`;
  const row = Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? ""])) as Partial<Record<Column, string>>;
  const { user = "", email = "", zone = "", agent = "" } = row;
  const whose = agent === "" ? usual : agent;
  if (whose === undefined) return `Line ${line} names no agent, and there are ${listed(agents)}.`;
  if (!agents.includes(whose)) return `Line ${line}: there is no agent “${whose}”.`;
  try {
    checkUser(user);
    if (zone !== "") checkZone(zone);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return `Line ${line}: ${error.message}`;
  }
  const key = JSON.stringify([user, whose]);
  const before = seen.get(key);
  if (before !== undefined) return `Line ${line} has “${user}” again, after line ${before}.`;
  seen.set(key, line);
  return { user, agent: whose, ...(zone === "" ? {} : { zone }), ...(email === "" ? {} : { email }) };
}

function badPeople(message: string): Problem {
  return new Problem(
    "bad-people",
    `${message} Nobody was invited.`,
    "The first line names the columns: user, and if you like email, agent and zone. Then one person a line.",
  );
}
