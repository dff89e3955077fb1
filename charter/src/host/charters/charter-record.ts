import type { Declaration, RulesFor } from "../../agent/declaration.ts";
import type { Scope } from "../../amend/amendment.ts";
import { type Charter, defineCharter } from "../../prompt/charter.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import { type Part, present, type Reading, unavailable } from "../../prompt/reading.ts";
import type { SentSection } from "../../prompt/receipt.ts";
import type { Section } from "../../prompt/section.ts";
import type { CharterRecord } from "../../store/charter-record.ts";
import type { Store } from "../../store/store.ts";
import type { ReplayedStep } from "../../store/turns/steps.ts";
import type { OwnCharter } from "./own-charter.ts";

type RecordPlace = { readonly store: Pick<Store, "turns" | "steps">; readonly agent: string };

/** A charter from its record. `elsewhere`: it has functions that are not here, and what cannot be done without them. */
type RecordedCharter = OwnCharter & { readonly elsewhere?: Problem };

/**
 * A charter that is kept with its agent. Where all of it is data it is as good as any other. Functions are in its program:
 * what they would read is shown as it was last sent, no guard is skipped, and turns are taken there.
 */
export function recordedCharter(kept: CharterRecord, { store, agent }: RecordPlace): RecordedCharter {
  const absent = absentFrom(kept);
  const elsewhere = absent.length === 0 ? undefined : elsewhereProblem(agent, kept, absent);
  return {
    ofSettings: elsewhere === undefined,
    ...(elsewhere ? { elsewhere } : {}),
    declare: async (facts) => {
      const { user } = Object(facts) as { readonly user?: unknown };
      const scope = { agent, ...(typeof user === "string" ? { user } : {}) };
      const readings = elsewhere ? await lastReadings(store, kept, scope) : new Map<string, Reading>();
      return declarationFrom(kept, readings, elsewhere);
    },
  };
}

/** What of it is in its program alone, in words. */
function absentFrom({ functions, sections }: CharterRecord): string[] {
  const made = Object.entries(sections).map(([name, what]) => `what makes “${name}” (${what.join(", ")})`);
  return [...made, ...(functions.length === 0 ? [] : [`what it declares as ${functions.join(", ")}`])];
}

function elsewhereProblem(agent: string, { charter: { name } }: CharterRecord, absent: readonly string[]): Problem {
  const key = /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name);
  return new Problem(
    "charter-elsewhere",
    `Of “${name}”, the charter of “${agent}”, ${absent.join(", ")} ${absent.length === 1 ? "is" : "are"} in the program it runs in, and not here.`,
    `Take its turns and judge its changes in that program, or give the charter here: createHost({ charters: { ${key} } }), or defineConfig in charter.config.ts.`,
  );
}

function declarationFrom(
  { charter, says, functions }: CharterRecord,
  readings: ReadonlyMap<string, Reading>,
  elsewhere: Problem | undefined,
): Declaration {
  const shown = withReadings(charter, readings);
  const refuse: RulesFor = () => {
    throw elsewhere;
  };
  const rules = functions.includes("rules")
    ? async () => refuse
    : async () => (await import("../../agent/usual-rules.ts")).usualRules(shown);
  if (!elsewhere) return { ...says, charter: shown, rules };
  // What they ask for is for functions that are not here.
  const { needs: _needs, memory: _memory, ...others } = says;
  return { ...others, charter: shown, rules, served: false };
}

function withReadings(charter: Charter, readings: ReadonlyMap<string, Reading>): Charter {
  const shown = (section: Section): Section => {
    const reading = readings.get(section.name);
    return reading ? { ...section, sources: [() => reading] } : section;
  };
  return defineCharter({
    ...charter,
    layers: charter.layers.map(({ sections, fallback, ...layer }) => ({
      ...layer,
      sections: sections.map(shown),
      ...(fallback ? { fallback: fallback.map(shown) } : {}),
    })),
  });
}

/** What each section that functions make was in the newest request of the same agent and user; nobody else's is looked at. */
async function lastReadings(
  store: RecordPlace["store"],
  { sections }: CharterRecord,
  scope: Scope,
): Promise<ReadonlyMap<string, Reading>> {
  const last = await lastStep(store, scope);
  return new Map(Object.keys(sections).map((name) => [name, readingOf(name, last)]));
}

/** So many turns are looked through for one of the agent's own, where no user is named. */
const maxTurns = 200;

async function lastStep({ turns, steps }: RecordPlace["store"], scope: Scope): Promise<ReplayedStep | string> {
  const listed = await turns.list({ ...scope, limit: scope.user === undefined ? maxTurns : 20 });
  const own = listed.filter((one) => one.scope.user === scope.user);
  let reason = scope.user === undefined ? "no turn without a user is on record; name a user" : "no turn is on record";
  for (const { id } of own) {
    try {
      return await steps.replay(id);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      reason = reasonOf(error);
    }
  }
  return reason;
}

function readingOf(name: string, last: ReplayedStep | string): Reading {
  const where = `The functions that make “${name}” are in its agent's program`;
  if (typeof last === "string") return unavailable(`${where}, and there is no last reading: ${last}`);
  const sent = last.receipt.slots.flatMap(({ sections }) => sections).findLast((section) => section.name === name);
  const notices = [
    { code: "last-reading", section: name, message: `${where}: this is what it was ${last.at} (turn ${last.turn}).` },
  ];
  if (!sent) return { status: "empty", notices };
  if (sent.whole !== undefined) return unavailable(`${where}, and of it only a change was sent last`);
  return { ...present(partsOf(sent, last.text(sent))), notices };
}

/** Who writes headings and marks: the charter, which has them anyway, and delivery, which makes them anew. */
const structure: ReadonlySet<string> = new Set(["charter", "delivery"]);

/** Its parts as they were sent, fenced and inert as they were; structure is the charter's. */
function partsOf({ spans }: SentSection, text: string): Part[] {
  let start = 0;
  let apart = false;
  return spans.flatMap(({ length, source, revision, trust, part: id }) => {
    const shown = text.slice(start, start + length);
    start += length;
    if (structure.has(source)) return [];
    const part: Part = {
      ...{ text: shown.trimEnd(), source, trust },
      ...(revision === null ? {} : { revision }),
      ...(id === undefined ? {} : { id }),
      ...(apart ? { apart: true as const } : {}),
      ...(trust === "foreign" ? { fenced: true as const } : {}),
    };
    apart = /\n\n$/.test(shown);
    return [part];
  });
}
