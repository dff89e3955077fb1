import { countCharacters, invisible } from "../prompt/character.ts";
import { Problem } from "../prompt/problem.ts";
import { checkName } from "./scope.ts";

const form = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._-]*[\p{L}\p{M}\p{N}])?$/u;

/**
 * The name of a new agent stands in addresses, commands and files, so it has a form there is nothing to quote in. Agents
 * that were named before there was one keep their names.
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

/** A name in that form, of words that may be in none. */
export function agentNameFrom(words: string): string {
  const name = words
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
    .slice(0, 200)
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, "");
  return name === "" ? "agent" : name;
}

/** What people call an agent is one line that can be read: it stands in lists and headings. */
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
