import { defined } from "../prompt/argument.ts";
import { type Charter, defineCharter } from "../prompt/charter.ts";
import { lockDifferences, lockOf } from "../prompt/lock.ts";
import { Problem } from "../prompt/problem.ts";
import type { CoreMemory } from "../sources/core-memory/core-memory.ts";
import { sha256 } from "../store/texts/packing.ts";
import type { Declaration, DirectoryFiles, RulesFor } from "./declaration.ts";
import { narrower } from "./limits.ts";
import type { Tool } from "./tool.ts";

const bareDeclarations = new WeakMap<Charter, Declaration>();

/** Makes a declaration of a charter that comes without rules: it has the usual ones, and brings no tools. */
export function declarationOf(given: Charter | Declaration): Declaration {
  if (isDeclaration(given)) return given;
  const charter = defineCharter(given);
  const known = bareDeclarations.get(charter);
  if (known) return known;
  const rules = async () => (await import("./usual-rules.ts")).usualRules(charter);
  const declaration: Declaration = { charter, rules };
  bareDeclarations.set(charter, declaration);
  return declaration;
}

function isDeclaration(given: Charter | Declaration): given is Declaration {
  return typeof given === "object" && given !== null && "charter" in given;
}

type Rules = Declaration["rules"];

const readyRules = new WeakSet<Rules>();
const readyVariants = new WeakMap<object, Charter>();

/** Remembers a ready-made declaration, so that fields someone spreads over it are told apart from its own. */
export function readyMade(declaration: Declaration): Declaration {
  const { charter, rules, withFiles, withMemory, withoutTools } = declaration;
  readyRules.add(rules);
  for (const variant of [withFiles, withMemory, withoutTools]) if (variant) readyVariants.set(variant, charter);
  return declaration;
}

const overruling = new WeakSet<Rules>();

/** Marks rules that hold in every variant, in place of the variant's own. */
export function overrulingRules(rules: RulesFor): Rules {
  const same: Rules = async () => rules;
  overruling.add(same);
  return same;
}

/** Tells whether another charter was spread over a ready-made one, whose variants know nothing of it. */
function isReplaced({ charter }: Declaration, variant: object): boolean {
  return (readyVariants.get(variant) ?? charter) !== charter;
}

/** Refuses a charter that is spread over another's: it is not the one that the other's `withFiles` or `withMemory` returns. */
export function checkVariants(declaration: Declaration): void {
  for (const name of ["withFiles", "withMemory"] as const) {
    const variant = declaration[name];
    if (!variant || !isReplaced(declaration, variant)) continue;
    throw new Problem(
      "charter-invalid",
      `The charter “${declaration.charter.name}” is spread over a ready-made one, whose ${name} returns that one's words.`,
      `Give it a ${name} of its own, which returns its words.`,
    );
  }
}

/** Returns the declaration with the files of a directory, where it takes any. */
export function withFiles<Given extends Declaration>(declaration: Given, files: DirectoryFiles): Given {
  checkVariants(declaration);
  const variant = declaration.withFiles?.(files);
  if (variant === undefined) return declaration;
  const others = declaration.needs?.filter((need) => need !== "files") ?? [];
  return { ...mergeVariant(declaration, variant), needs: [...new Set([...others, ...(variant.needs ?? [])])] };
}

/** Returns the declaration with its core memory, where it has one. */
export function withMemory<Given extends Declaration>(declaration: Given, memory: CoreMemory): Given {
  checkVariants(declaration);
  const variant = declaration.withMemory?.(memory);
  return variant === undefined ? declaration : mergeVariant(declaration, variant);
}

const withoutToolsCache = new WeakMap<Declaration, Declaration>();

/** Returns the declaration for a model that takes no tools. It may leave fixed words out, and never has others in their place. */
export function withoutTools<Given extends Declaration>(declaration: Given): Given {
  const before = withoutToolsCache.get(declaration);
  if (before !== undefined) return before as Given;
  if (!declaration.withoutTools || isReplaced(declaration, declaration.withoutTools)) return declaration;
  const variant = declaration.withoutTools();
  const lock = lockOf([declaration.charter], sha256, { text: false });
  const other = lockDifferences(lock, variant.charter, sha256).find(({ what }) => what !== "removed");
  if (other)
    throw new Problem(
      "charter-invalid",
      `Without tools, “${variant.charter.name}” has other fixed text in “${other.section}”.`,
      "Let withoutTools leave sections out; it changes none that is fixed.",
    );
  const { tools: _tools, toolNotices: _notices, withoutTools: _variant, ...plain } = mergeVariant(declaration, variant);
  withoutToolsCache.set(declaration, plain as Given);
  return plain as Given;
}

/**
 * Merges a declaration into its variant. Its fields hold in the variant as well, whether or not the variant repeats them: a hook
 * that refuses something is asked wherever the agent works. A variant has its own charter, and what goes with that.
 */
function mergeVariant<Given extends Declaration>(declaration: Given, variant: Declaration): Given {
  const { charter, rules, tools, hooks = [], limits } = variant;
  const declared = defined(declaration) as Given;
  const own = declaration.rules;
  const isOverruled = overruling.has(own) || (readyRules.has(rules) && !readyRules.has(own));
  const { withFiles, withMemory, withoutTools } = { ...declared, ...variant };
  const allHooks = new Set([...(declaration.hooks ?? []), ...hooks]);
  return {
    ...variant,
    ...declared,
    charter,
    rules: isOverruled ? own : rules,
    ...(tools ? { tools: async (place) => mergeTools(await tools(place), await declaration.tools?.(place)) } : {}),
    ...(allHooks.size > 0 ? { hooks: [...allHooks] } : {}),
    ...(limits ? { limits: narrower(declaration.limits, limits) } : {}),
    ...(withFiles ? { withFiles } : {}),
    ...(withMemory ? { withMemory } : {}),
    ...(withoutTools ? { withoutTools } : {}),
  };
}

/** Merges tools. Of two with one name the variant's stays: it works with what the variant was made for. */
function mergeTools(tools: readonly Tool[], others: readonly Tool[] = []): readonly Tool[] {
  const names = new Set(tools.map(({ name }) => name));
  return [...tools, ...others.filter(({ name }) => !names.has(name))];
}
