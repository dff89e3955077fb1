import type { Declaration } from "../agent/declaration.ts";
import { leastWindow } from "../agent/limits.ts";
import { quietTurn, type TurnFacts } from "../amend/guard.ts";
import { isRecord } from "../prompt/argument.ts";
import { allSections, type Charter, findSection, sectionMutability } from "../prompt/charter.ts";
import { listed, Problem } from "../prompt/problem.ts";
import type { Notice, SourceContext, Standing, ToolLine } from "../prompt/reading.ts";
import type { StandingFault } from "../store/amendments/standing.ts";
import { isCounterpart } from "../store/scope.ts";
import { count, entries, type Fact, field, flag, list, oneOf, required, text } from "./facts.ts";

/** A declaration together with a turn to assemble it for. */
export type DeclaredTurn = Declaration & {
  readonly turn: SourceContext;
  readonly turnFacts: TurnFacts;
  /** Warnings about the facts it was made from. */
  readonly notices: readonly Notice[];
};

/** Makes a declaration with the turn that the facts describe. */
export function declaredTurnOf(declaration: Declaration, facts: Fact, clock: () => Date): DeclaredTurn {
  const { standing, notices } = standingFromFacts(declaration.charter, facts, declaration.fault);
  const edition = oneOf(field(facts, "edition"), ["full", "compact"]);
  const window = count(field(facts, "window"), leastWindow);
  return {
    ...declaration,
    ...(edition === undefined ? {} : { edition }),
    ...(window === undefined ? {} : { window }),
    turn: { ...turnFromFacts(facts, clock), standing },
    turnFacts: turnFactsOf(facts),
    notices,
  };
}

/** Reads the facts of every charter's turn: who, where, when, with which tools. Without `now` the clock is asked. */
function turnFromFacts(facts: Fact, clock: () => Date): Omit<SourceContext, "standing"> {
  const now = text(field(facts, "now"));
  const at = now === undefined ? clock() : instant(now);
  const callsLeft = count(field(field(facts, "turn"), "callsLeft"));
  const { value: context } = field(facts, "context");
  const [agent, user, channel, zone] = ["agent", "user", "channel", "zone"].map((name) => text(field(facts, name)));
  return {
    now: at.toISOString(),
    tools: list(field(facts, "tools")).map(toolLine),
    ...(callsLeft === undefined ? {} : { callsLeft }),
    ...(agent === undefined ? {} : { agent }),
    ...(user === undefined ? {} : { user }),
    ...(channel === undefined ? {} : { channel }),
    ...(zone === undefined || zone.trim() === "" ? {} : { zone }),
    // A coding agent's fact of that name is a list of files.
    ...(isRecord(context) ? { context } : {}),
  };
}

/** Reads an ISO 8601 time; without a zone it is UTC, whatever the machine's is. A day that does not exist is refused. */
function instant(now: string): Date {
  const fields = /^(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(now);
  const at = new Date(fields && now.includes("T") && fields[4] === undefined ? `${now}Z` : now);
  const day = fields ? new Date(`${fields[1]}-${fields[2]}-${fields[3]}T00:00:00Z`) : at;
  if (fields && !Number.isNaN(at.getTime()) && day.getUTCDate() === Number(fields[3])) return at;
  const message = `The fact “now” is “${now}”, which is no ISO 8601 time.`;
  throw new Problem("bad-facts", message, "Give 2026-02-18T15:04:00Z.");
}

function toolLine(fact: Fact): ToolLine {
  if (typeof fact.value === "string") return { name: toolName(fact) };
  const summary = text(field(fact, "promptSnippet"));
  const guidelines = list(field(fact, "promptGuidelines")).map((guideline) => required(guideline, text(guideline)));
  const left = count(field(fact, "left"));
  return {
    name: toolName(field(fact, "name")),
    ...(summary === undefined ? {} : { summary }),
    ...(guidelines.length === 0 ? {} : { guidelines }),
    ...(left === undefined ? {} : { left }),
  };
}

function toolName(fact: Fact): string {
  const name = required(fact, text(fact));
  if (/^\w[\w.:/-]{0,127}$/.test(name)) return name;
  throw new Problem(
    "bad-facts",
    `The fact “${fact.path}” is no tool name: ${JSON.stringify(name)}.`,
    "Use the letters A to Z, digits, _ . : / and -.",
  );
}

function turnFactsOf(facts: Fact): TurnFacts {
  const turn = field(facts, "turn");
  const user = text(field(facts, "user"));
  return {
    ...(user === undefined || isCounterpart(user) ? {} : { user }),
    tainted: flag(field(turn, "tainted")) ?? quietTurn.tainted,
    amendments: count(field(turn, "amendments")) ?? quietTurn.amendments,
    state: text(field(field(facts, "state"), "state")) ?? quietTurn.state,
  };
}

/**
 * Reads the standing texts in the facts, by section. One that is no longer valid is replaced by the original, with a notice.
 * Words for a section that nobody can amend are not read at all.
 */
function standingFromFacts(
  charter: Charter,
  facts: Fact,
  fault: StandingFault = () => undefined,
): { standing: Record<string, Standing>; notices: Notice[] } {
  const standing: Record<string, Standing> = {};
  const notices: Notice[] = [];
  const revisions = field(facts, "revisions");
  for (const [name, fact] of entries(field(facts, "standing"))) {
    const { section, layer } = sectionNamed(charter, name, fact.path);
    if (typeof sectionMutability(section, layer) !== "object") {
      const message = `“${fact.path}” was not read: nobody can amend “${section.name}”.`;
      notices.push({ code: "standing-ignored", section: section.name, message });
      continue;
    }
    const given = text(fact);
    if (given === undefined) continue;
    const wrong = fault(section.name, given);
    const revision = count(field(revisions, name)) ?? 0;
    const message = `The current text of “${section.name}” is not used: ${wrong} The original is used.`;
    standing[section.name] = wrong
      ? { text: section.original ?? "", revision: 0, notices: [{ code: "standing-invalid", message }] }
      : { text: given, revision };
  }
  return { standing, notices };
}

function sectionNamed(charter: Charter, name: string, path: string) {
  try {
    return findSection(charter, name);
  } catch {
    const names = allSections(charter).map(({ section }) => section.name);
    throw new Problem(
      "bad-facts",
      `The fact “${path}” names no section of “${charter.name}”.`,
      `They are ${listed(names)}.`,
    );
  }
}
