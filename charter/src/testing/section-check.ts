import { kindOf } from "../prompt/argument.ts";
import { preview } from "../prompt/character.ts";
import type { Cut, Omission } from "../prompt/cut.ts";
import { listed } from "../prompt/problem.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Check } from "./expectation.ts";
import { overview, reasonWords } from "./text-check.ts";

export function checkOrder(prompt: Prompt, names: readonly string[]): Check {
  if (!Array.isArray(names))
    return `An order is a list of sections, and it is ${kindOf(names)}: order(["safety", "goals"]).`;
  if (names.length < 2) return "An order has two sections at least. Say which.";
  for (const name of names) {
    const missing = checkStands(prompt, name);
    if (missing !== undefined) return missing;
  }
  const order = prompt.sections.map(({ name }) => name).filter((name) => names.includes(name));
  if (order.length === names.length && order.every((name, index) => name === names[index])) return;
  return `The sections are in the order ${listed(order)}, not ${listed(names)}.`;
}

export function checkCut(prompt: Prompt, name: string, told?: string): Check {
  const cuts = prompt.cuts.filter(({ section }) => section === name);
  if (cuts.length === 0) return checkStands(prompt, name) ?? `“${name}” was not cut: all of it is in the prompt.`;
  if (told === undefined) return;
  const { sections, spans, text } = prompt;
  const isTold = spans.some(
    ({ section, source, trust, start, end }) =>
      section === name && source === "charter" && trust === "own" && text.slice(start, end).includes(told),
  );
  if (isTold) return;
  const row = sections.find((section) => section.name === name);
  const shown = row ? `\nThe section reads “${preview(text.slice(row.start, row.end), 400)}”.` : "";
  return `“${name}” was cut, and the model is not told “${told}”.${shown}`;
}

export function checkWhole(prompt: Prompt, name: string): Check {
  const cuts = prompt.cuts.filter(({ section }) => section === name);
  if (cuts.length === 0) return checkStands(prompt, name);
  return `“${name}” is not complete: ${cuts.map(cutWords).join(" ")}`;
}

export function checkOmitted(prompt: Prompt, name: string, reason?: Omission["reason"]): Check {
  const omission = prompt.omitted.find((omitted) => omitted.name === name);
  if (omission === undefined) {
    return prompt.sections.some((section) => section.name === name)
      ? `“${name}” is in the prompt.\n${overview(prompt)}`
      : checkStands(prompt, name);
  }
  if (reason === undefined || omission.reason === reason) return;
  return `“${name}” is not in the prompt for another reason than “${reason}”: ${reasonOf(omission)}.`;
}

/** Does a section stand in the prompt? */
function checkStands(prompt: Prompt, name: string): Check {
  if (prompt.sections.some((section) => section.name === name)) return;
  const omission = prompt.omitted.find((omitted) => omitted.name === name);
  const why = omission ? `: ${reasonOf(omission)}` : "";
  return `There is no section “${name}” in the prompt of “${prompt.charter}”${why}.\n${overview(prompt)}`;
}

function reasonOf({ reason }: Omission): string {
  return `${reasonWords[reason]} (“${reason}”)`;
}

function cutWords({ form, kept, missing, unit, because }: Cut): string {
  const units = unit === "characters" || unit === "parts" ? unit : `parts of the kind “${unit}”`;
  const gone = form === "dropped" ? "all of its parts" : `${missing} of ${kept + missing} ${units}`;
  return `it is without ${gone}. ${because}`;
}
