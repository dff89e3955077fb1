import { checkVariants, declarationOf, overrulingRules } from "../agent/bare-declaration.ts";
import { allNeeds, type Declaration, type RulesFor } from "../agent/declaration.ts";
import { leastWindow, limitsOf } from "../agent/limits.ts";
import { type Tools, toolList } from "../agent/toolset.ts";
import { isWindow } from "../agent/turn/window.ts";
import type { Scope } from "../amend/amendment.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import { factsOf } from "../charters/facts.ts";
import { memorySettingsOf } from "../charters/resident/resident.ts";
import { type Charter, defineCharter, sectionTrust } from "../prompt/charter.ts";
import { lockDifferences, lockOf } from "../prompt/lock.ts";
import { listed, Problem, reasonOf, rethrowUnlessProblem } from "../prompt/problem.ts";
import { type Part, present, type Reading, unavailable } from "../prompt/reading.ts";
import type { SentSection } from "../prompt/receipt.ts";
import type { Layer, Section } from "../prompt/section.ts";
import type { CharterRecord } from "../store/agents.ts";
import type { Store } from "../store/store.ts";
import type { ReplayedStep } from "../store/turns/steps.ts";
import { builtInCalled } from "./built-in.ts";
import { importFile } from "./import-file.ts";

/** Second argument of a charter's function, besides the facts: the channels a host registers besides the usual ones. */
export type CharterHost = { readonly channels: Channels };

/** A charter of the user's own. `ofSettings`: it is not a function of the facts. */
export type OwnCharter = {
  readonly declare: (facts: unknown, host: CharterHost) => Promise<Declaration>;
  readonly ofSettings: boolean;
};

/** Exports of a file besides its charter. Tools, hooks and needs are added to those the charter brings. */
type Beside = Pick<Declaration, "hooks" | "needs" | "served" | "limits" | "window" | "compactAt" | "edition"> & {
  readonly rules?: RulesFor;
  readonly tools?: Tools;
};

/** A charter of the user's own: the charter, a declaration, or a function from facts to either. */
export type GivenCharter =
  | Charter
  | Declaration
  | ((facts: never, host: CharterHost) => Charter | Declaration | Promise<Charter | Declaration>);

/** Loads the charter that is a file's default export. */
export async function ownCharter(path: string): Promise<OwnCharter> {
  const module = await importFile(path, { what: "charter", code: "charter-unreadable" });
  const { default: made } = module;
  const place = `at ${path}`;
  if (made === undefined)
    throw unusable(place, "it has no default export", "Export the charter: export default { name, layers }.");
  return charterMade(place, made, module);
}

/** Prepares a charter that a program or a configuration gives by a name. */
export function givenCharter(name: string, given: GivenCharter): Promise<OwnCharter> {
  return charterMade(`“${name}”`, given, {});
}

/** Prepares an own charter. `place` is where it is, for error messages. */
async function charterMade(place: string, made: unknown, module: Exports): Promise<OwnCharter> {
  const beside = besideIn(place, module);
  if (typeof made === "function")
    return {
      ofSettings: false,
      declare: async (...about) =>
        joined(place, await checked(place, module, await called(place, () => made(...about))), beside),
    };
  const same = joined(place, await checked(place, module, made), beside);
  return { ofSettings: true, declare: async () => same };
}

async function called(place: string, made: () => unknown): Promise<unknown> {
  try {
    return await made();
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw unusable(place, `its function threw: ${reasonOf(error)}`, "Fix it.");
  }
}

/** Check of a value: returns what is wrong, as the words that follow its name, or undefined. */
type Check = (value: unknown) => string | undefined;
type Checks = Readonly<Record<string, Check>>;

const list: Check = (value) => (Array.isArray(value) ? undefined : "are no list");
const works: Check = (value) => (typeof value === "function" ? undefined : "is no function");
const both = {
  hooks: list,
  needs: (value) => {
    const known = Array.isArray(value) && value.every((need) => allNeeds.includes(need));
    return known ? undefined : `are no list of ${listed(allNeeds)}`;
  },
  served: (value) => (typeof value === "boolean" ? undefined : "is neither true nor false"),
  limits: (value) => void limitsOf(value as object),
  window: (value) => (isWindow(value) ? undefined : `is no whole number from ${leastWindow} up`),
  compactAt: (value) => (typeof value === "number" && value > 0 ? undefined : "is no number above 0"),
  edition: (value) => (value === "full" || value === "compact" ? undefined : "is neither “full” nor “compact”"),
} satisfies Checks;
const unchecked: Check = () => undefined;

/** Checks for every field of a declaration, except notices about MCP tools, which only a host sets. */
const ofDeclaration: Record<Exclude<keyof Declaration, "toolNotices">, Check> = {
  charter: unchecked,
  ...both,
  rules: works,
  tools: works,
  toolNames: list,
  withoutTools: works,
  fault: works,
  withFiles: works,
  memory: (value) => void memorySettingsOf(factsOf({ memory: value })),
  withMemory: works,
};

function toolFault(value: unknown): string | undefined {
  try {
    toolList(value as Tools);
    return undefined;
  } catch (error) {
    return `cannot be used: ${reasonOf(error)}`.replace(/\.$/, "");
  }
}

const ofModule: Record<keyof Beside, Check> = { ...both, rules: works, tools: toolFault };

type Exports = Readonly<Record<string, unknown>>;

/**
 * Picks the exports that belong to a declaration. Other exports are ignored, unless they have the name of a field that only a
 * declaration can have.
 */
function besideIn(place: string, module: Exports): Beside {
  const beside = Object.fromEntries(Object.keys(ofModule).map((name) => [name, module[name]]));
  checkFields(place, beside, ofModule);
  return beside;
}

function checkUnheard(place: string, module: Exports, declaration: Declaration): void {
  const isHeard = (name: keyof Declaration) =>
    name in ofModule ||
    module[name] === undefined ||
    [declaration[name], module.default].includes(module[name] as never);
  const unheard = ([...Object.keys(ofDeclaration), "toolNotices"] as (keyof Declaration)[]).find(
    (name) => !isHeard(name),
  );
  if (unheard === undefined) return;
  throw unusable(
    place,
    `it exports “${unheard}” beside its charter, which has no effect there`,
    `Let the charter say it: export default { …, ${unheard} }. Or give the export another name.`,
  );
}

async function checked(place: string, module: Exports, made: unknown): Promise<Declaration> {
  const declaration = declarationOf(made as Charter | Declaration);
  checkUnheard(place, module, declaration);
  defineCharter(declaration.charter);
  checkFields(place, declaration, ofDeclaration);
  checkVariants(declaration);
  await checkName(place, declaration.charter);
  return declaration;
}

function checkFields(place: string, given: object, checks: Checks): void {
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) throw unusable(place, `a declaration has no “${name}”`, `It has ${listed(Object.keys(checks))}.`);
    const wrong = value === undefined ? undefined : check(value);
    if (wrong !== undefined) throw unusable(place, `its ${name} ${wrong}`, "docs/charters.md says what it is.");
  }
}

/** Checks a file whose charter has the name of a ready-made one: its fixed texts must be the same. */
async function checkName(place: string, charter: Charter): Promise<void> {
  const known = await builtInCalled(charter.name)?.load();
  if (!known) return;
  const words = (text: string) => text;
  const lock = lockOf([known.fromFacts(factsOf({}), () => new Date(0)).charter], words, { text: false });
  if (lockDifferences(lock, charter, words).length > 0)
    throw unusable(
      place,
      `a built-in charter is called “${charter.name}”, and has other fixed text`,
      "Give it a name of its own.",
    );
}

function joined(place: string, declaration: Declaration, also: Beside): Declaration {
  const { rules, tools, hooks = [], needs = [], ...beside } = also;
  const { rules: ownRules, tools: ownTools, hooks: ownHooks = [], needs: ownNeeds = [] } = declaration;
  const exports = Object.entries(beside).filter(([, value]) => value !== undefined);
  const usual = async () => (await import("../agent/usual-rules.ts")).usualRules(declaration.charter);
  const whole: Declaration = {
    ...declaration,
    ...Object.fromEntries(exports),
    rules: rules ? overrulingRules(rules) : (ownRules ?? usual),
    ...(tools ? { tools: async (place) => [...((await ownTools?.(place)) ?? []), ...toolList(tools)] } : {}),
    ...(ownHooks.length + hooks.length > 0 ? { hooks: [...ownHooks, ...hooks] } : {}),
    ...(ownNeeds.length + needs.length > 0 ? { needs: [...new Set([...ownNeeds, ...needs])] } : {}),
  };
  return whole.needs?.includes("files") ? inDirectory(place, whole) : whole;
}

/** Checks a charter that works in a directory: it gets the files there, and nothing from a store. */
function inDirectory(place: string, declaration: Declaration): Declaration {
  const { needs = [], served, memory } = declaration;
  if (!declaration.withFiles)
    throw unusable(place, "it needs files, and takes none", "Give it withFiles, as coder({ … }) has.");
  const others = needs.filter((need) => need !== "files");
  if (others.length > 0)
    throw unusable(place, `it needs files, and then it is not told ${listed(others)}`, "Take either out of its needs.");
  if (memory !== undefined)
    throw unusable(place, "it needs files, and then it has no core memory", "Take the files or the memory out.");
  if (served === true)
    throw unusable(place, "it needs files, and then no service can take its turns", "Leave served out.");
  return { ...declaration, served: false };
}

function unusable(place: string, why: string, hint: string): Problem {
  return new Problem("charter-unreadable", `The charter ${place} cannot be used: ${why}.`, hint);
}

type RecordPlace = { readonly store: Pick<Store, "turns" | "steps">; readonly agent: string };

/** A charter from its record. `elsewhere`: it has functions that are not here, so some things cannot be done. */
type RecordedCharter = OwnCharter & { readonly elsewhere?: Problem };

/**
 * Rebuilds a charter that is stored with its agent. If it is all data, it works like any other. Functions are in the program that
 * stored it: here their sections are shown as they were last sent, no guard is skipped, and turns are taken only there.
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

/** Lists the parts that are functions of another program, in words. */
function absentFrom({ functions, sections }: CharterRecord): string[] {
  const generated = Object.entries(sections).map(([name, what]) => `what makes “${name}” (${what.join(", ")})`);
  return [...generated, ...(functions.length === 0 ? [] : [`what it declares as ${functions.join(", ")}`])];
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
  const shownCharter = withReadings(charter, readings);
  const refuse: RulesFor = () => {
    throw elsewhere;
  };
  const rules = functions.includes("rules")
    ? async () => refuse
    : async () => (await import("../agent/usual-rules.ts")).usualRules(shownCharter);
  if (!elsewhere) return { ...says, charter: shownCharter, rules };
  // Needs and core memory are for functions that are not here.
  const { needs: _needs, memory: _memory, ...others } = says;
  return { ...others, charter: shownCharter, rules, served: false };
}

function withReadings(charter: Charter, readings: ReadonlyMap<string, Reading>): Charter {
  const shownIn = (layer: Layer) => (section: Section) => {
    const reading = readings.get(section.name);
    return reading ? { ...section, trust: sectionTrust(section, layer), sources: [() => reading] } : section;
  };
  return defineCharter({
    ...charter,
    layers: charter.layers.map((layer) => ({
      ...layer,
      sections: layer.sections.map(shownIn(layer)),
      ...(layer.fallback ? { fallback: layer.fallback.map(shownIn(layer)) } : {}),
    })),
  });
}

/** Readings of sections made by functions: their text in the newest request of the same agent and user, never of another's. */
async function lastReadings(
  store: RecordPlace["store"],
  { sections }: CharterRecord,
  scope: Scope,
): Promise<ReadonlyMap<string, Reading>> {
  const last = await lastStep(store, scope);
  return new Map(Object.keys(sections).map((name) => [name, readingOf(name, last)]));
}

/** Maximum number of turns searched for one of the agent's own, if no user is named. */
const maxTurns = 200;

async function lastStep({ turns, steps }: RecordPlace["store"], scope: Scope): Promise<ReplayedStep | string> {
  const listed = await turns.list({ ...scope, limit: scope.user === undefined ? maxTurns : 20 });
  const own = listed.filter((one) => one.scope.user === scope.user);
  let reason = scope.user === undefined ? "no turn without a user is on record; name a user" : "no turn is on record";
  for (const { id } of own) {
    try {
      return await steps.replay(id);
    } catch (error) {
      rethrowUnlessProblem(error);
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

/** Sources of headings and marks: the charter, which has them anyway, and delivery, which makes them anew. */
const structure: ReadonlySet<string> = new Set(["charter", "delivery"]);

/** Parts of a section as they were sent, still fenced and inert; structure is left out, since the charter adds it. */
function partsOf({ spans }: SentSection, text: string): Part[] {
  let start = 0;
  let apart = false;
  return spans.flatMap(({ length, source, revision, trust, part: partId }) => {
    const partText = text.slice(start, start + length);
    start += length;
    if (structure.has(source)) return [];
    const part: Part = {
      ...{ text: partText.trimEnd(), source, trust },
      ...(revision === null ? {} : { revision }),
      ...(partId === undefined ? {} : { id: partId }),
      ...(apart ? { apart: true as const } : {}),
      ...(trust === "foreign" ? { fenced: true as const } : {}),
    };
    apart = /\n\n$/.test(partText);
    return [part];
  });
}
