import { checkVariants, declarationOf, overrulingRules } from "../agent/bare-declaration.ts";
import { allNeeds, type Declaration, type RulesFor } from "../agent/declaration.ts";
import { limitsOf } from "../agent/limits.ts";
import { type Tools, toolList } from "../agent/tool-list.ts";
import { isWindow, leastWindow } from "../agent/turn/window/window.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import { factsOf } from "../charters/facts.ts";
import { memorySettingsOf } from "../charters/resident/memory-settings.ts";
import { type Charter, defineCharter } from "../prompt/charter.ts";
import { lockDifferences, lockOf } from "../prompt/lock.ts";
import { listed, Problem, reasonOf } from "../prompt/problem.ts";
import { builtInCalled } from "./built-in.ts";
import { importFile } from "./import-file.ts";

/** What a file's function is given besides the facts: the channels a host registers besides the usual ones. */
export type CharterHost = { readonly channels: Channels };

/** The charter of a file. `ofSettings`: it is no function of the facts. */
export type OwnCharter = {
  readonly declare: (facts: unknown, host: CharterHost) => Promise<Declaration>;
  readonly ofSettings: boolean;
};

/** What a file may export beside its charter. Tools, hooks and needs are added to those the charter brings. */
type Beside = Pick<Declaration, "hooks" | "needs" | "served" | "limits" | "window" | "compactAt" | "edition"> & {
  readonly rules?: RulesFor;
  readonly tools?: Tools;
};

/** The default export is a charter, a declaration, or a function from the facts to either. */
export async function ownCharter(path: string): Promise<OwnCharter> {
  const module = await importFile(path, { what: "charter", code: "charter-unreadable" });
  const { default: made } = module;
  if (made === undefined)
    throw unusable(path, "it has no default export", "Export the charter: export default { name, layers }.");
  const beside = besideIn(path, module);
  if (typeof made === "function")
    return {
      ofSettings: false,
      declare: async (...about) =>
        joined(path, await checked(path, module, await called(path, () => made(...about))), beside),
    };
  const same = joined(path, await checked(path, module, made), beside);
  return { ofSettings: true, declare: async () => same };
}

async function called(path: string, made: () => unknown): Promise<unknown> {
  try {
    return await made();
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw unusable(path, `its function threw: ${reasonOf(error)}`, "Fix the file.");
  }
}

/** What is wrong with a value, in the words that follow its name; nothing, where nothing is. */
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

/** Every field of a declaration; those of tools of other servers are a host's to say. */
const ofDeclaration: Record<Exclude<keyof Declaration, "toolNotices">, Check> = {
  charter: unchecked,
  ...both,
  rules: works,
  tools: works,
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

/** Anything else a file exports is its own affair, unless it is called as what only a declaration can say. */
function besideIn(path: string, module: Exports): Beside {
  const beside = Object.fromEntries(Object.keys(ofModule).map((name) => [name, module[name]]));
  checkFields(path, beside, ofModule);
  return beside;
}

function checkUnheard(path: string, module: Exports, declaration: Declaration): void {
  const isHeard = (name: keyof Declaration) =>
    name in ofModule ||
    module[name] === undefined ||
    [declaration[name], module.default].includes(module[name] as never);
  const unheard = ([...Object.keys(ofDeclaration), "toolNotices"] as (keyof Declaration)[]).find(
    (name) => !isHeard(name),
  );
  if (unheard === undefined) return;
  throw unusable(
    path,
    `it exports “${unheard}” beside its charter, which has no effect there`,
    `Let the charter say it: export default { …, ${unheard} }. Or give the export another name.`,
  );
}

async function checked(path: string, module: Exports, made: unknown): Promise<Declaration> {
  const declaration = declarationOf(made as Charter | Declaration);
  checkUnheard(path, module, declaration);
  defineCharter(declaration.charter);
  checkFields(path, declaration, ofDeclaration);
  checkVariants(declaration);
  await checkName(path, declaration.charter);
  return declaration;
}

function checkFields(path: string, given: object, checks: Checks): void {
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) throw unusable(path, `a declaration has no “${name}”`, `It has ${listed(Object.keys(checks))}.`);
    const wrong = value === undefined ? undefined : check(value);
    if (wrong !== undefined) throw unusable(path, `its ${name} ${wrong}`, "docs/charters.md says what it is.");
  }
}

/** A file may hold a built-in charter with words of its own; under its name, the fixed words are those it has. */
async function checkName(path: string, charter: Charter): Promise<void> {
  const known = await builtInCalled(charter.name)?.load();
  if (!known) return;
  const words = (text: string) => text;
  const lock = lockOf([known.fromFacts(factsOf({}), () => new Date(0)).charter], words);
  if (lockDifferences(lock, charter, words).length > 0)
    throw unusable(
      path,
      `a built-in charter is called “${charter.name}”, and has other fixed text`,
      "Give it a name of its own.",
    );
}

function joined(path: string, declaration: Declaration, also: Beside): Declaration {
  const { rules, tools, hooks = [], needs = [], ...beside } = also;
  const { rules: own, tools: brought, hooks: asked = [], needs: needed = [] } = declaration;
  const said = Object.entries(beside).filter(([, value]) => value !== undefined);
  const usual = async () => (await import("../agent/usual-rules.ts")).usualRules(declaration.charter);
  const whole: Declaration = {
    ...declaration,
    ...Object.fromEntries(said),
    rules: rules ? overrulingRules(rules) : (own ?? usual),
    ...(tools ? { tools: async (place) => [...((await brought?.(place)) ?? []), ...toolList(tools)] } : {}),
    ...(asked.length + hooks.length > 0 ? { hooks: [...asked, ...hooks] } : {}),
    ...(needed.length + needs.length > 0 ? { needs: [...new Set([...needed, ...needs])] } : {}),
  };
  return whole.needs?.includes("files") ? inDirectory(path, whole) : whole;
}

/** One that works in a directory is given its files there, and nothing of a store: what else it asks for, it would not get. */
function inDirectory(path: string, declaration: Declaration): Declaration {
  const { needs = [], served, memory } = declaration;
  if (!declaration.withFiles)
    throw unusable(path, "it needs files, and takes none", "Give it withFiles, as coder({ … }) has.");
  const others = needs.filter((need) => need !== "files");
  if (others.length > 0)
    throw unusable(path, `it needs files, and then it is not told ${listed(others)}`, "Take either out of its needs.");
  if (memory !== undefined)
    throw unusable(path, "it needs files, and then it has no core memory", "Take the files or the memory out.");
  if (served === true)
    throw unusable(path, "it needs files, and then no service can take its turns", "Leave served out.");
  return { ...declaration, served: false };
}

function unusable(path: string, why: string, hint: string): Problem {
  return new Problem("charter-unreadable", `The charter at ${path} cannot be used: ${why}.`, hint);
}
