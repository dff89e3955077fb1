import { onlyAgent } from "../../operations/only-one.ts";
import { timeText } from "../../operations/print/columns.ts";
import { hintsHere } from "../../operations/print/command-name.ts";
import { inviteAll } from "../../operations/users/invitations.ts";
import { listed, Problem, rethrowUnlessProblem } from "../../prompt/problem.ts";
import type { Invitation } from "../../store/accounts/users.ts";
import { checkUser, checkZone } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { asOperator } from "../command/perform.ts";

const { closeSync, openSync, readFileSync, rmSync, writeSync } = process.getBuiltinModule("node:fs");

type InviteInput = {
  readonly whom: string;
  readonly agent?: string;
  readonly days?: number;
  readonly again?: boolean;
  readonly url?: string;
  readonly out?: string;
};

/** Makes a link for one user, or one for each person in a file. */
export async function run({ input, json, database }: ParsedCommand): Promise<number> {
  const { whom, agent, out: file, ...about } = input as InviteInput;
  return asOperator({ database }, async (context) => {
    const people = await peopleOf(context.store, whom, agent);
    const out = file === undefined ? undefined : openNew(file);
    try {
      const invitees = people.map(({ email: _, ...one }) => one);
      const { invitations, already } = await inviteAll(context, invitees, about);
      const withEmails = invitations.map((one) => ({ ...one, ...emailOf(one, people) }));
      write(withEmails, already, { whom, out, json });
      say(withEmails, already, file);
      return withEmails.length === 0 ? 1 : 0;
    } catch (error) {
      if (file !== undefined) rmSync(file, { force: true });
      throw error;
    } finally {
      if (out !== undefined) closeSync(out);
    }
  });
}

async function peopleOf(store: Store, whom: string, agent: string | undefined): Promise<PersonRow[]> {
  if (!/\.csv$/i.test(whom)) return [{ user: whom, agent: await onlyAgent(store, agent) }];
  if (agent !== undefined) await store.agents.get(agent);
  const agents = (await store.agents.list()).map(({ name }) => name);
  return readPeople(readText(whom), {
    file: whom,
    agents,
    agent: agent ?? (agents.length === 1 ? agents[0] : undefined),
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new Problem("usage", `${file} cannot be read (${code}).`, "Give a file that is there, as in people.csv.");
  }
}

/**
 * Opens the file for the links. Only the operator can read it, and an existing one is not overwritten, since its links may have
 * been sent.
 */
function openNew(file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new Problem("usage", `${file} cannot be made (${code}).`, "Give the name of a file that is not there yet.");
  }
}

function emailOf({ user, agent }: Invitation, people: readonly PersonRow[]): { readonly email?: string } {
  const email = people.find((one) => one.user === user && one.agent === agent)?.email;
  return email === undefined ? {} : { email };
}

type Told = Invitation & { readonly email?: string | undefined; readonly url: string };

function write(
  told: readonly Told[],
  already: readonly Invitation[],
  about: { readonly whom: string; readonly out: number | undefined; readonly json: boolean },
): void {
  const isOne = told.length === 1 && told[0]?.user === about.whom;
  const rows = told.map(({ user, agent, email = "", url, expiresAt }) => [user, agent, email, url, expiresAt]);
  const table = [["user", "agent", "email", "link", "expires"], ...rows].map((row) => `${csvLine(row)}\n`).join("");
  if (about.out !== undefined) writeSync(about.out, table);
  if (about.json) process.stdout.write(`${JSON.stringify({ invitations: told, already })}\n`);
  else if (about.out === undefined && told.length > 0) process.stdout.write(isOne ? `${told[0]?.url}\n` : table);
}

function say(made: readonly Invitation[], already: readonly Invitation[], out: string | undefined): void {
  const [first] = made;
  const where = out === undefined ? "" : ` The links are in ${out}.`;
  if (first)
    process.stderr.write(`${made.length} invited, each once, until ${timeText(first.expiresAt)} UTC.${where}\n`);
  if (already.length === 0) return;
  const names = listed(already.map(({ user }) => user));
  process.stderr.write(hintsHere(`Invited before, and left alone: ${names}. --again makes them new links.\n`));
}

/** A person in a list. */
export type PersonRow = {
  readonly user: string;
  readonly agent: string;
  readonly zone?: string;
  /** E-mail address, which is written beside the link and not stored. */
  readonly email?: string;
};

const known = ["user", "email", "agent", "zone"] as const;
type Column = (typeof known)[number];

/** Reads the people in a file; a Problem names each invalid line. `agent` is for rows that name none. */
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
  const firstLines = new Map<string, number>();
  const read = rows.map((row) => readRow(row, columns, about, firstLines));
  const faults = read.filter((one) => typeof one === "string");
  if (faults.length > 0) throw badPeople(`${about.file}: ${faults.join(" ")}`);
  return read as PersonRow[];
}

function readRow(
  { line, cells }: CsvRow,
  columns: readonly Column[],
  { agents, agent: usualAgent }: { readonly agents: readonly string[]; readonly agent: string | undefined },
  seen: Map<string, number>,
): PersonRow | string {
  if (cells.length > columns.length) return `Line ${line} has more cells than there are columns.`;
  const row = Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? ""])) as Partial<Record<Column, string>>;
  const { user = "", email = "", zone = "", agent = "" } = row;
  const agentName = agent === "" ? usualAgent : agent;
  if (agentName === undefined) return `Line ${line} names no agent, and there are ${listed(agents)}.`;
  if (!agents.includes(agentName)) return `Line ${line}: there is no agent “${agentName}”.`;
  try {
    checkUser(user);
    if (zone !== "") checkZone(zone);
  } catch (error) {
    rethrowUnlessProblem(error);
    return `Line ${line}: ${error.message}`;
  }
  const key = JSON.stringify([user, agentName]);
  const before = seen.get(key);
  if (before !== undefined) return `Line ${line} has “${user}” again, after line ${before}.`;
  seen.set(key, line);
  return { user, agent: agentName, ...(zone === "" ? {} : { zone }), ...(email === "" ? {} : { email }) };
}

function badPeople(message: string): Problem {
  return new Problem(
    "bad-people",
    `${message} Nobody was invited.`,
    "The first line names the columns: user, and if you like email, agent and zone. Then one person a line.",
  );
}

/** A row of a table in a file, and the line it begins on. */
export type CsvRow = { readonly line: number; readonly cells: readonly string[] };

/**
 * Reads comma-separated values: cells in double quotes may contain anything, with quotes doubled. Spreadsheets may write
 * semicolons or tabs instead; the first line decides. Empty lines are left out. Undefined if a quote is not closed.
 */
export function readCsv(text: string): CsvRow[] | undefined {
  const words = text.replace(/^\uFEFF/, "");
  const first = /^[^\r\n]*/.exec(words)?.[0] ?? "";
  const mark = [",", ";", "\t"].find((one) => first.includes(one)) ?? ",";
  const rows: CsvRow[] = [];
  let [line, begins, cell, quoted, wasQuoted] = [1, 1, "", false, false];
  let cells: string[] = [];
  const endCell = () => {
    cells.push(wasQuoted ? cell : cell.trim());
    [cell, wasQuoted] = ["", false];
  };
  const endRow = () => {
    endCell();
    if (cells.some((one) => one !== "")) rows.push({ line: begins, cells });
    [cells, begins] = [[], line];
  };
  for (let at = 0; at < words.length; at++) {
    const one = words[at] as string;
    const isEnd = one === "\n" || (one === "\r" && words[at + 1] !== "\n");
    if (isEnd) line++;
    if (quoted && one === '"' && words[at + 1] === '"') at++;
    else if (quoted && one === '"') {
      quoted = false;
      continue;
    }
    if (quoted) cell += one;
    else if (one === '"' && cell.trim() === "") [cell, quoted, wasQuoted] = ["", true, true];
    else if (one === mark) endCell();
    else if (isEnd) endRow();
    else if (one !== "\r" && !(wasQuoted && one === " ")) cell += one;
  }
  if (quoted) return undefined;
  endRow();
  return rows;
}

/** Formats a line of such a file. What a spreadsheet would run as a formula is words to it, by the sign in front. */
export function csvLine(cells: readonly string[]): string {
  return cells
    .map((cell) => cell.replace(/^(?=\s*[=+\-@\t\r|%＝＋－＠])/, "'"))
    .map((cell) => (/[",;\t\r\n']/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(",");
}
