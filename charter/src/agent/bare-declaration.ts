import { type Charter, defineCharter } from "../prompt/charter.ts";
import type { Declaration } from "./declaration.ts";

const bare = new WeakMap<Charter, Declaration>();

/** A charter that comes without rules has the usual ones, and brings no tools. */
export function declarationOf(given: Charter | Declaration): Declaration {
  if (isDeclaration(given)) return given;
  const charter = defineCharter(given);
  const known = bare.get(charter);
  if (known) return known;
  const rules = async () => (await import("./usual-rules.ts")).usualRules(charter);
  const declaration: Declaration = { charter, rules };
  bare.set(charter, declaration);
  return declaration;
}

function isDeclaration(given: Charter | Declaration): given is Declaration {
  return typeof given === "object" && given !== null && "charter" in given;
}
