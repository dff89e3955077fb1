import type { Scope } from "../../../amend/amendment.ts";
import type { AmendmentEntry } from "../../../store/amendments/amendments.ts";
import type { Store } from "../../../store/store.ts";
import { type Comparison, comparePrompts, type SectionDifference } from "../../../store/turns/compare.ts";
import type { ReplayedStep } from "../../../store/turns/steps.ts";
import { colours } from "../../print/colour.ts";
import { oneLine, timeText } from "../../print/columns.ts";
import { hintsHere } from "../../print/command-name.ts";
import { findStep, namedTurns } from "../../shared/find-step.ts";
import { parseOptions } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

type Turn = ReplayedStep & { readonly scope: Scope };

/** The prefix break with all that is known about who broke it. */
type BreakReport = NonNullable<Comparison["break"]> &
  Pick<SectionDifference, "what" | "mutability" | "stability" | "revisions"> & {
    /** Newest first; `null` where no amendment can have done it. */
    readonly amendments: readonly AmendmentEntry[] | null;
  };

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("diff", args, storeOptions);
  const [one = "", other = ""] = namedTurns("diff", positionals, 2);
  return withStore(values, async (store) => {
    const [before, after] = [await findStep(store, one), await findStep(store, other)];
    const comparison = comparePrompts(before, after);
    const broken = await whoBroke(store, comparison, before, after);
    const { identical, sections } = comparison;
    if (values.json) {
      const about = ({ turn, step, at, digest }: Turn) => ({ turn, step, at, digest });
      const answer = { identical, before: about(before), after: about(after), break: broken, sections };
      process.stdout.write(`${JSON.stringify(answer)}\n`);
    } else process.stdout.write(`${lines(before, after, sections, broken).join("\n")}\n`);
    return identical ? 0 : 1;
  });
}

/** So many of the amendments between two turns are told; `charter history` has them all. */
const maxAmendments = 20;

async function whoBroke(store: Store, found: Comparison, before: Turn, after: Turn): Promise<BreakReport | null> {
  const changed = found.sections.find(({ section }) => section === found.break?.section);
  if (!found.break || !changed) return null;
  const { what, mutability, stability, revisions, whose } = changed;
  const scopes = [before, after].map(({ scope }) => (whose === "agent" ? { agent: scope.agent } : scope));
  const [scope, same] = [scopes[0] as Scope, JSON.stringify(scopes[0]) === JSON.stringify(scopes[1])];
  const about = { ...found.break, what, mutability, stability, revisions };
  if (mutability !== "amendable" || !same) return { ...about, amendments: null };
  const [from, to] = [revisions.before ?? 0, revisions.after ?? 0].sort((a, b) => a - b) as [number, number];
  const page = { before: to + 1, limit: Math.min(to - from, maxAmendments) };
  const amendments = to === from ? [] : await store.history.list(scope, changed.section, page);
  return { ...about, amendments };
}

function lines(
  before: Turn,
  after: Turn,
  sections: readonly SectionDifference[],
  broken: BreakReport | null,
): string[] {
  const { dim } = colours(process.stdout);
  const named = ({ turn, step, at }: Turn) => `${turn}/${step} (${timeText(at)})`;
  const heading = dim(`${named(before)} → ${named(after)}`);
  if (!broken) {
    const bytes = after.slots.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    return [heading, `The two prompts are identical, all ${bytes} bytes.`];
  }
  return [heading, ...brokenLines(broken), ...sections.flatMap(sectionLines)];
}

function brokenLines({ slot, byte, section, ...broken }: BreakReport): string[] {
  const { red } = colours(process.stdout);
  const { amendments, revisions } = broken;
  const told = (amendments ?? []).map(
    ({ revision, actor, at, turn, operation, reason }) =>
      `  revision ${revision}: ${operation} by ${actor}, ${timeText(at)} UTC${turn ? `, in turn ${turn}` : ""}${reason ? `: ${oneLine(reason)}` : ""}`,
  );
  const between = Math.abs((revisions.after ?? 0) - (revisions.before ?? 0)) - told.length;
  const rest = amendments && between > 0 ? [hintsHere(`  and ${between} more: charter history ${section}`)] : [];
  return [
    red(`The prefix broke at byte ${byte} of slot “${slot}”, in “${section}”: ${why(broken)}.`),
    ...told,
    ...rest,
  ];
}

function why({
  what,
  mutability,
  stability,
  amendments,
  revisions,
}: Omit<BreakReport, "slot" | "byte" | "section">): string {
  if (what === "moved") return "its place is another";
  if (stability === "state") return "it is state, and replaced every turn";
  if (mutability === "live") return "it is generated per turn";
  if (mutability === "fixed") return "the charter's fixed text is another";
  if (amendments === null) return "the turns are not of the same agent and user, and each has its own";
  if (amendments.length === 0) return `its text is that of revision ${revisions.after ?? revisions.before} in both`;
  return amendments.length === 1 ? "it was amended" : "it was amended in between";
}

function sectionLines({ section, what, slot, mutability, stability, revisions, diff }: SectionDifference): string[] {
  const paint = colours(process.stdout);
  const colour = { changed: paint.yellow, came: paint.green, went: paint.red, moved: paint.cyan }[what];
  const amended =
    mutability === "amendable" && revisions.before !== revisions.after
      ? `, revision ${revisions.before ?? "–"} → ${revisions.after ?? "–"}`
      : "";
  const kind = stability === "state" ? `${mutability}, state` : mutability;
  const shown = diff
    .split("\n")
    .slice(2, -1)
    .map((line) => (process.stdout.isTTY ? oneLine(line) : line))
    .map((line) => (line.startsWith("+") ? paint.green(line) : line.startsWith("-") ? paint.red(line) : line));
  return ["", `${colour(what)} ${section} ${paint.dim(`(${kind}, slot ${slot}${amended})`)}`, ...shown];
}
