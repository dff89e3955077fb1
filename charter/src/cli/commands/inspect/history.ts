import type { Scope } from "../../../amend/amendment.ts";
import { type AmendmentRow, historyPage } from "../../../store/amendments/amendment-row.ts";
import type { RecordedAmendment } from "../../../store/amendments/amendments.ts";
import type { Home } from "../../../store/home/database.ts";
import { colours } from "../../print/colour.ts";
import { columns, timeText } from "../../print/columns.ts";
import { parseOptions, requiredOption, sectionOption, wholeNumber } from "../../shared/options.ts";
import { storeOptions, withHome } from "../../shared/store.ts";

const options = {
  ...storeOptions,
  agent: { type: "string", short: "a" },
  user: { type: "string", short: "u" },
  section: { type: "string", short: "s" },
  limit: { type: "string" },
  before: { type: "string" },
  words: { type: "boolean" },
} as const;

type Page = { readonly limit: number; readonly before?: number };

/** Whose copy of a section, and the page of its history that was asked for; `none` says why there is nothing on it. */
type FoundHistory = {
  readonly scope: Scope;
  readonly section: string;
  readonly rows: readonly AmendmentRow[];
  readonly none?: string;
};

/**
 * The plain list is one query: nothing is loaded for it but the database. The charter is asked only when there is no
 * row under the name that was given.
 */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("history", args, options);
  const agent = requiredOption("history", "agent", values.agent);
  const asked = sectionOption("history", values.section, positionals);
  const before = wholeNumber("before", values.before);
  const page: Page = { limit: wholeNumber("limit", values.limit) ?? 20, ...(before === undefined ? {} : { before }) };
  const scope: Scope = { agent, ...(values.user === undefined ? {} : { user: values.user }) };
  return withHome(values, async (home) => {
    const rows = await read(home, scope, asked, page);
    const found = rows.length > 0 ? { scope, section: asked, rows } : await lookAgain(home, scope, asked, page);
    const recorded = values.json || values.words ? await whole(home, found) : [];
    const more = hasMore(found.rows, page);
    if (values.json) {
      const about = { agent, user: found.scope.user ?? null, section: found.section };
      process.stdout.write(`${JSON.stringify({ ...about, amendments: recorded, more })}\n`);
    } else process.stdout.write(`${(await lines(found, recorded, more)).join("\n")}\n`);
    return 0;
  });
}

function read(home: Home, scope: Scope, section: string, page: Page): Promise<AmendmentRow[]> {
  return home.read(scope, (db) => db.all<AmendmentRow>(historyPage(scope, section, page)));
}

/** Nothing under that name: the section may have another, be everyone's, never have changed, or not exist. */
async function lookAgain(home: Home, asked: Scope, name: string, page: Page): Promise<FoundHistory> {
  const { section, scope, note } = await (await import("../../shared/section.ts")).placeSection(home, asked, name);
  const rows = await read(home, scope, section, page);
  if (rows.length > 0) return { scope, section, rows };
  const whose = scope.user === undefined ? scope.agent : `${scope.agent}, for ${scope.user},`;
  const never = page.before === undefined ? "has not been amended" : `has no amendment before revision ${page.before}`;
  return { scope, section, rows, none: note ?? `“${section}” of ${whose} ${never}.` };
}

/** The same rows with their words, which a plain list does without. */
async function whole(home: Home, { scope, section, rows }: FoundHistory): Promise<RecordedAmendment[]> {
  const newest = rows[0]?.revision;
  if (newest === undefined) return [];
  const [{ createAmendmentHistory }, { createTexts }] = await Promise.all([
    import("../../../store/amendments/amendments.ts"),
    import("../../../store/texts/text.ts"),
  ]);
  return createAmendmentHistory(home, createTexts()).listWhole(scope, section, {
    limit: rows.length,
    before: newest + 1,
  });
}

/** Revisions count from 1 without a gap, so the last one of a full page says whether there is another. */
function hasMore(rows: readonly AmendmentRow[], { limit }: Page): boolean {
  return rows.length === limit && (rows.at(-1)?.revision ?? 1) > 1;
}

async function lines(
  { rows, none }: FoundHistory,
  recorded: readonly RecordedAmendment[],
  more: boolean,
): Promise<string[]> {
  if (none !== undefined) return [none];
  const cells = rows.map(({ revision, at, actor, operation, turn, reason, erased_at }) => [
    String(revision),
    timeText(at),
    actor,
    operation,
    turn ?? "–",
    erased_at === null ? (reason ?? "") : `(erased ${timeText(erased_at)})`,
  ]);
  const names = ["revision", "time (UTC)", "by", "operation", "turn", "reason"];
  const [head = "", ...list] = columns(names, cells, process.stdout);
  const shown = recorded.length === 0 ? list : await withWords(list, recorded);
  const { dim } = colours(process.stdout);
  return [head, ...shown, ...(more ? [dim(`There is more: --before ${rows.at(-1)?.revision}`)] : [])];
}

async function withWords(list: readonly string[], recorded: readonly RecordedAmendment[]): Promise<string[]> {
  const { changes } = await import("../../print/verdict.ts");
  return recorded.flatMap(({ before, after, section, erasedAt }, at) => {
    const gone = erasedAt === null ? "  Its text is missing: run charter verify." : "  Its text was erased.";
    const words = before === null || after === null ? [gone] : changes(before, after, section).slice(2);
    return [list[at] as string, ...words];
  });
}
