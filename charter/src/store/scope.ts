import type { Scope } from "../amend/amendment.ts";
import { isShared } from "../amend/guards/permission.ts";
import { badArgument, checkText, isObject, kindOf } from "../prompt/argument.ts";
import { countCharacters, invisible } from "../prompt/character.ts";
import {
  allSections,
  type Charter,
  findSection,
  type PlacedSection,
  sectionMutability,
  sectionScope,
} from "../prompt/charter.ts";
import { Problem } from "../prompt/problem.ts";
import type { Reach } from "./home/database.ts";

/** Returns the scope of a turn of this agent: with a user, or with none (`null`). */
export function scopeNamed(agent: string, user: string | null): Scope {
  return user === null ? { agent } : { agent, user };
}

/** Refuses a name that people could not read or a database not keep: it is 1 to 200 visible characters on one line. */
export function checkName(what: string, name: string): void {
  const sound =
    typeof name === "string" &&
    name.trim() === name &&
    name !== "" &&
    name.length <= 200 &&
    name.isWellFormed() &&
    !/\p{Cc}/u.test(name);
  if (sound && !invisible.test(name)) return;
  const given = typeof name === "string" ? `${JSON.stringify(name)} cannot be the name of a ${what}.` : undefined;
  throw new Problem(
    "bad-name",
    given ?? `The name of the ${what} is ${kindOf(name)}.`,
    "Use 1 to 200 visible characters on one line, with none of them a space at either end.",
  );
}

/** Refuses a user's name that would pass for a counterpart's. */
export function checkUser(name: string): void {
  checkName("user", name);
  if (!isCounterpart(name)) return;
  throw new Problem(
    "bad-name",
    `${JSON.stringify(name)} cannot be the name of a user.`,
    "Names that begin with “counterpart:” stand for whoever writes to an agent's inbox.",
  );
}

/**
 * Normalises the name of a counterpart: an address in lower case; or, if a token vouches for the sender, the token's name, a
 * slash and the sender's name (`shop/bo`), unchanged.
 */
export function counterpart(sender: string): string {
  checkText("counterpart", sender);
  const name = sender.trim();
  return name.includes("/") ? name : name.toLowerCase();
}

const prefix = "counterpart:";

/** Returns the key that takes the place of a user in a counterpart's scope: no user may have such a name. */
export function counterpartKey(sender: string): string {
  return `${prefix}${counterpart(counterpartOf(sender))}`;
}

/** Tells whether a scope's user is a counterpart. */
export function isCounterpart(user: string): boolean {
  return user.startsWith(prefix);
}

/** Returns the name of the counterpart that a key is for. */
export function counterpartOf(key: string): string {
  return isCounterpart(key) ? key.slice(prefix.length) : key;
}

/** Refuses a sender that cannot be kept: it must be a valid name, also with its scope's prefix before it. */
export function checkCounterpart(sender: string): void {
  checkName("sender", typeof sender === "string" ? counterpart(counterpartOf(sender)) : sender);
  checkName("sender", counterpartKey(sender));
}

export function checkScope(scope: Scope): void {
  if (!isObject(scope))
    throw badArgument(`The scope is ${kindOf(scope)}.`, "Give { agent }, or { agent, user }: names.");
  checkName("agent", scope.agent);
  if (scope.user !== undefined) checkName("user", scope.user);
}

type InLayer = Pick<PlacedSection, "section" | "layer">;

/** User, or counterpart by its key, with every agent or with one. */
export type UserSelector = { readonly user: string; readonly agent?: string | undefined };

/** Returns the scope whose copy of a section a change is for: each user's own, or the agent's. */
export function copyScope({ section, layer }: InLayer, scope: Scope): Scope {
  if (sectionScope(section, layer) === "agent") return { agent: scope.agent };
  if (scope.user !== undefined) return scope;
  throw new Problem(
    "needs-user",
    `“${section.name}” is each user's own, and no user was named.`,
    "Say whose with --user (or `user` in the scope).",
  );
}

export function amendableSections(charter: Charter): PlacedSection[] {
  return allSections(charter).filter(({ section, layer }) => typeof sectionMutability(section, layer) === "object");
}

/** A section that a proposal names, and the scope whose copy of it is meant. */
export type ProposalPlace = {
  readonly scope: Scope;
  readonly section: string;
  /** What a transaction about it may see: of a text that all read, whose turn changes it. */
  readonly reach: Reach;
};

export function placeProposal(
  { charter, scope: asked }: { readonly charter: Charter; readonly scope: Scope },
  proposal: { readonly section: string; readonly turn?: string },
): ProposalPlace {
  checkScope(asked);
  const placed = findSection(charter, proposal.section);
  const scope = copyScope(placed, asked);
  const isOfOne = !isShared(placed) || (proposal.turn === undefined && asked.user === undefined);
  return { scope, section: placed.section.name, reach: isOfOne ? scope : "everything" };
}

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

export function checkZone(zone: string): void {
  if (!isZone(zone)) throw new Problem("bad-zone", `“${zone}” is no time zone.`, "Give one like Europe/Berlin or UTC.");
}

const form = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._-]*[\p{L}\p{M}\p{N}])?$/u;

/**
 * Refuses a new agent's name that would have to be quoted in addresses, commands and files. Agents that were named before this
 * rule keep their names.
 */
export function checkAgentName(name: string): void {
  checkName("agent", name);
  if (form.test(name)) return;
  throw new Problem(
    "bad-name",
    `${JSON.stringify(name)} cannot be the name of a new agent.`,
    "Use letters, digits, “-”, “_” and “.”, with a letter or a digit at both ends, as in “ada” or “my-agent-2”.",
  );
}

/** Makes a valid agent name of any text. */
export function agentNameFrom(words: string): string {
  const name = words
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
    .slice(0, 200)
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, "");
  return name === "" ? "agent" : name;
}

/** Refuses a label that is not one readable line, because it is shown in lists and headings. */
export function checkAgentLabel(label: unknown): void {
  if (label === undefined || label === null) return;
  const sound = typeof label === "string" && label.trim() === label && label !== "" && !invisible.test(label);
  if (sound && !/[\p{Cc}\u2028\u2029]/u.test(label) && countCharacters(label) <= 100) return;
  throw new Problem(
    "bad-label",
    `The label ${typeof label === "string" ? JSON.stringify(label.slice(0, 120)) : "given"} cannot be used.`,
    "Give one line of up to 100 characters, without invisible ones and without spaces at its ends.",
  );
}
