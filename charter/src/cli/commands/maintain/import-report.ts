import { colours, columns } from "../../../operations/print/columns.ts";
import { hintsHere } from "../../../operations/print/command-name.ts";
import { counted, Problem, reasonOf } from "../../../prompt/problem.ts";
import type { TableCount } from "../../../store/import/supabase.ts";

/**
 * Outcome of a row. imported: it is here now. held: it waits for a person. conflict and rejected: what is here stays. left: it is
 * not here.
 */
type ImportOutcome = "imported" | "unchanged" | "held" | "rejected" | "conflict" | "empty" | "left";

export type ImportedAgent = {
  readonly agent: string;
  readonly outcome: ImportOutcome;
  readonly reason?: string;
  /** Old columns that are stored in its settings, under `imported`. */
  readonly columns?: readonly string[];
  /** Shows that it was switched off there, and is frozen here. */
  readonly frozen?: true;
  /** Number of headings in its soul that were lowered because they were as high as the section's own. */
  readonly lowered?: number;
};

/** Notes of an agent about a user. */
type ImportedNotes = {
  readonly agent: string;
  readonly user: string;
  readonly outcome: ImportOutcome;
  readonly reason?: string;
  /** Number of notes; for `unchanged`, none is new. */
  readonly notes: number;
};

export type ImportedUser = {
  readonly agent: string;
  readonly user: string;
  readonly outcome: ImportOutcome;
  readonly reason?: string;
  readonly revision?: number;
  readonly held?: string;
  /** Text of the old rows, if it differs from the current one. */
  readonly text?: string;
  readonly rows: readonly { readonly type: string; readonly priority: number | null; readonly active: boolean }[];
};

/** Rows that could not be imported, whole. */
type LeftRows = {
  readonly table: string;
  readonly reason: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
};

export type ImportReport = {
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
  readonly agents: readonly ImportedAgent[];
  readonly users: readonly ImportedUser[];
  readonly notes: readonly ImportedNotes[];
  readonly left: readonly LeftRows[];
  /** Columns of old notes that are not imported, with the number of rows that have a value. */
  readonly columns: readonly LeftColumn[];
  /** Tables that were not read. */
  readonly tables: readonly TableCount[];
};

type LeftColumn = { readonly table: string; readonly column: string; readonly rows: number };

export function createReport(about: Pick<ImportReport, "from" | "to" | "dryRun">) {
  const agents: ImportedAgent[] = [];
  const users: ImportedUser[] = [];
  const leftRows: LeftRows[] = [];
  const notes: ImportedNotes[] = [];
  const columns = new Map<string, LeftColumn>();
  let tables: readonly TableCount[] = [];
  return {
    notes: (one: ImportedNotes) => notes.push(one),
    column: (table: string, column: string) => {
      const key = `${table}.${column}`;
      columns.set(key, { table, column, rows: (columns.get(key)?.rows ?? 0) + 1 });
    },
    tables: (all: readonly TableCount[]) => {
      tables = all;
    },
    agent: (one: ImportedAgent) => agents.push(one),
    user: (one: ImportedUser) => users.push(one),
    left: (table: string, because: string, rows: LeftRows["rows"]) => leftRows.push({ table, reason: because, rows }),
    end: (): ImportReport => ({
      ...about,
      agents,
      users,
      notes,
      left: leftRows,
      columns: [...columns.values()],
      tables,
    }),
  };
}

type Values = { readonly json?: boolean | undefined; readonly report?: string | undefined };

/**
 * Prints the report, and returns the exit code. 0: everything is imported. 1: something waits, conflicts, or could not be
 * imported.
 */
export function printReport(report: ImportReport, values: Values): number {
  if (values.report !== undefined) write(values.report, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : `${lines(report, values.report).join("\n")}\n`);
  const open = [...report.agents, ...report.users, ...report.notes].some(
    ({ outcome }) => !doneOutcomes.includes(outcome),
  );
  return open || report.left.length > 0 ? 1 : 0;
}

const doneOutcomes: readonly ImportOutcome[] = ["imported", "unchanged", "empty"];
const maxShown = 20;

function lines(report: ImportReport, file: string | undefined): string[] {
  const { from, to, dryRun, agents, users, left } = report;
  const paint = colours(process.stdout);
  const out = [
    paint.dim(`from ${from}`),
    paint.dim(`into ${to}${dryRun ? ", as a trial: nothing was changed" : ""}`),
    "",
  ];
  const agentRows = agents.map((one) => [one.agent, one.outcome, agentText(one)]);
  if (agentRows.length > 0) out.push(...columns(["agent", "outcome", ""], agentRows, process.stdout), "");
  const reportText = [
    ...users.filter(({ outcome }) => !doneOutcomes.includes(outcome)),
    ...users.filter(({ outcome }) => outcome === "imported"),
  ];
  const userRows = reportText
    .slice(0, maxShown)
    .map((one) => [one.agent, one.user, one.outcome, sourceText(one), whatText(one)]);
  if (userRows.length > 0)
    out.push(...columns(["agent", "user", "outcome", "from (by priority)", ""], userRows, process.stdout));
  if (reportText.length > maxShown)
    out.push(paint.dim(`and ${reportText.length - maxShown} more: --json or --report tells of all`));
  const counts = Map.groupBy(users, ({ outcome }) => outcome);
  const totals = [...counts].map(([outcome, of]) => `${of.length} ${outcome}`).join(", ");
  out.push(
    `${userRows.length > 0 ? "\n" : ""}${counted(agents.length, "agent")}; ${counted(users.length, "user")}${totals ? `: ${totals}` : ""}.`,
  );
  out.push(...noteLines(report, paint), ...restLines(report, paint));
  for (const { table, reason, rows } of left.slice(0, maxShown))
    out.push(paint.yellow(`left in ${table}: ${counted(rows.length, "row")}. ${reason}`));
  if (left.length > 0 && file === undefined)
    out.push(paint.dim("They are still in the old tables; --report <file> writes all of them to a file."));
  if (!dryRun && users.some(({ outcome }) => outcome === "held"))
    out.push(paint.dim(hintsHere("Words a guard refused wait whole: charter approvals shows them.")));
  return out;
}

function agentText({ reason, columns = [], frozen, lowered = 0 }: ImportedAgent): string {
  const details = [
    ...(reason === undefined ? [] : [reason]),
    ...(frozen ? ["frozen: it was switched off there"] : []),
    ...(lowered > 0 ? [`${counted(lowered, "heading")} of its soul lowered below the section's own`] : []),
    ...(reason === undefined && columns.length > 0 ? [`kept in its settings: ${columns.join(", ")}`] : []),
  ];
  return details.join("; ");
}

function noteLines({ notes }: ImportReport, paint: ReturnType<typeof colours>): string[] {
  if (notes.length === 0) return [];
  const saved = notes.reduce((sum, one) => sum + (one.outcome === "imported" ? one.notes : 0), 0);
  const open = notes.filter(({ outcome }) => !doneOutcomes.includes(outcome)).slice(0, maxShown);
  return [
    `${counted(saved, "new note")} from ${counted(notes.length, "row")} of agent_long_term_memory.`,
    ...open.map(({ agent, user, outcome, reason = "" }) =>
      paint.yellow(`notes of ${agent} about ${user}: ${outcome}. ${reason}`),
    ),
  ];
}

/** Lines about columns and tables that were not imported, because nothing needs them. */
function restLines({ columns, tables }: ImportReport, paint: ReturnType<typeof colours>): string[] {
  const cells = columns.map(({ table, column, rows }) => `${table}.${column} (${counted(rows, "row")})`);
  const whole = tables.map(({ table, rows }) => `${table} (${counted(rows, "row")})`);
  return [
    ...(cells.length > 0 ? [paint.dim(`columns not brought over: ${cells.join(", ")}`)] : []),
    ...(whole.length > 0 ? [paint.dim(`tables not brought over: ${whole.join(", ")}`)] : []),
  ];
}

function sourceText({ rows }: ImportedUser): string {
  return rows
    .map(({ type, priority, active }) => `${type}${priority === null ? "" : ` ${priority}`}${active ? "" : " (off)"}`)
    .join(", ");
}

function whatText({ reason, revision, held }: ImportedUser): string {
  return reason ?? (held ? `waits: ${held}` : revision === undefined ? "" : `revision ${revision}`);
}

function write(path: string, text: string): void {
  try {
    process.getBuiltinModule("node:fs").writeFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    throw new Problem(
      "unwritable",
      `${path} could not be written: ${reasonOf(error)}.`,
      "Check the path and its rights.",
    );
  }
}
