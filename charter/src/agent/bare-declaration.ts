import { type Charter, defineCharter } from "../prompt/charter.ts";
import { lockDifferences, lockOf } from "../prompt/lock.ts";
import { Problem } from "../prompt/problem.ts";
import { sha256 } from "../store/texts/sha256.ts";
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

const checked = new WeakSet<Declaration>();

/** A declaration for a model that takes no tools. It may leave fixed words out, and never has others in their place. */
export function withoutTools(declaration: Declaration): Declaration {
  const plain = declaration.withoutTools?.();
  if (plain === undefined || checked.has(plain)) return plain ?? declaration;
  const lock = lockOf([declaration.charter], sha256);
  const other = lockDifferences(lock, plain.charter, sha256).find(({ what }) => what !== "removed");
  if (other)
    throw new Problem(
      "charter-invalid",
      `Without tools, “${plain.charter.name}” has other fixed text in “${other.section}”.`,
      "Let withoutTools leave sections out; it changes none that is fixed.",
    );
  checked.add(plain);
  return plain;
}
