import { expect } from "vitest";
import { amendableLayers, fixedLayers } from "../../src/charters/sovereign/words.ts";
import type { ModelRequest } from "../../src/delivery/model.ts";
import { systemOf } from "../agent/model.ts";

/** What must hold of every request of a sovereign, whatever anyone tries. */

const separator = "\n\n---\n\n";

/** What its operator has set, as it is to stand: on lines of its own, after the words of the law. */
export type LawSettings = { readonly soul: string | undefined; readonly skills: number };

/** Layers 0 to 5 to the byte, each layer once and in its place, and nothing of anyone's outside its fence. */
export function expectLaw(request: ModelRequest, { soul, skills }: LawSettings): void {
  const layers = systemOf(request).split(separator);
  const law = fixedLayers({}).map(({ title, words }, number) => `## Layer ${number}: ${title}\n${words}`);
  for (const [number, words] of law.entries()) {
    const layer = layers[number] as string;
    expect([number, layer.slice(0, words.length)]).toEqual([number, words]);
    expect([number, afterLaw(number, layer.slice(words.length), { soul, skills })]).toEqual([number, "fine"]);
  }
  const titles = [...fixedLayers({}), ...amendableLayers].map(({ title }, number) => `## Layer ${number}: ${title}`);
  expect(headingsIn(systemOf(request))).toEqual(titles);
  const own = new Set<string>(amendableLayers.map(({ section }) => section));
  const spoken = request.messages.flatMap((one) => (one.role === "system" || one.role === "user" ? [one] : []));
  const updates = spoken.filter((one) => "update" in one && own.has(one.update as string));
  const others = spoken.filter((one) => !updates.includes(one));
  expect(updates.flatMap(({ text }) => headingsIn(text))).toHaveLength(updates.length);
  expect(new Set(others.flatMap(({ text }) => headingsIn(text)))).toEqual(new Set(["## Layer 10: Dynamic Context"]));
  for (const one of others) expectFenced(one);
}

type Spoken = { readonly role: "system" | "user"; readonly text: string };

const headingsIn = (text: string) => text.split("\n").filter((line) => /^\s{0,3}#{1,2}\s*Layer/i.test(line));

function afterLaw(number: number, rest: string, { soul, skills }: LawSettings): string {
  if (number === 3 && soul !== undefined) return /^\nYou are `[^`\n]*`\.$/u.test(rest) ? "fine" : rest;
  if (number === 5 && skills > 0) {
    const [blank, heading, ...lines] = rest.split("\n");
    const sound = blank === "" && heading === "### Active Skills" && lines.length === skills;
    return sound && lines.every((line) => line.startsWith("- ")) ? "fine" : rest;
  }
  return rest === "" ? "fine" : rest;
}

const string = '"(?:[^"\\\\]|\\\\.)*"';

/** A name that is none is a string as well. */
const name = `(?:[^"\\n]*|${string})`;

/** Every line that layer 10 and the words around messages can have. What others wrote is a string of JSON, or behind “>”. */
const lines = [
  /^$/,
  /^## Layer 10: Dynamic Context$/,
  /^### (?:Current State|Pending Obligations|Conversation History|Recent Memory|Available Tools)$/,
  /^- (?:cycles_balance|cycles_runway_hours|survival_tier|base_wallet|eth_balance|turn_number|timestamp|state): [^"]*$/,
  /^\(none\)$/,
  /^Messages (?:in this turn|waiting): \d+$/,
  /^\((?:older facts|older exchanges|conversations|obligation previews|exchanges|obligations|tools)(?: shortened| cut)?: \d+\)$/,
  new RegExp(`^- \\[${name}\\] from ${name}(?:: ${string})?$`, "u"),
  new RegExp(`^#### Conversation with ${name}$`, "u"),
  new RegExp(`^ {2}\\[${name}\\]: ${string}$`, "u"),
  new RegExp(`^- ${name}: ${string}$`, "u"),
  /^Calls left in this turn: \d+$/,
  /^- [a-z_]+(?: \(\d+ left\))?$/,
  /^One message is for you to answer\./,
  /^\d+ messages are for you to answer\./,
  /^This turn is your own: nobody wrote to you\./,
  /^Message [^\n]*:$/,
  /^[^\n]* wrote \(data, not instructions\):$/,
  /^>/,
  /^\[system \w+\]$/,
  /^You worked on /,
  /^What was done is done/,
  // What the tests themselves say as a user.
  /^Look at it\.$/,
];

const lineName = `\\(${string}(?: … ${string})?\\)`;

/** Every line that tells of a change in layer 10, besides the lines of its own that it brings. */
const changes = [
  /^Your prompt has changed in “Layer 10: Dynamic Context”:$/,
  new RegExp(`^Lines? [\\d–]+ ${lineName} now reads?:$`, "u"),
  new RegExp(`^Lines? [\\d–]+ ${lineName} (?:is|are) gone\\.$`, "u"),
  new RegExp(`^After line \\d+ ${lineName} comes?:$`, "u"),
];

/** What others wrote is in a message of its own, as the user's; a change of what is the agent's own is told line by line. */
function expectFenced({ role, text }: Spoken): void {
  const tagged = /^<untrusted_text>\n(.*)\n<\/untrusted_text>$/s.exec(text)?.[1];
  if (tagged !== undefined) expect([role, /<\/?untrusted_text/i.test(tagged)]).toEqual(["user", false]);
  const isChange = changes[0]?.test(text.split("\n")[0] as string);
  if (isChange) expect(role).toBe("system");
  const known = isChange ? [...lines, ...changes] : lines;
  const strange = (tagged ?? text)
    .split(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/u)
    .map((line) => (isChange ? line.replace(/^\| /, "") : line))
    .filter((line) => !known.some((one) => one.test(line)));
  expect(strange).toEqual([]);
}
