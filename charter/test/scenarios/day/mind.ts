import type { Speech } from "../../../src/testing/strict/speech.ts";
import { type Heard, heardIn } from "./heard.ts";

/**
 * Every word someone plants says whose it is and where it belongs: `zqann-talk-7` was told in a conversation, `note` is
 * to be kept, `sign` is an instruction, `news` comes by a schedule.
 */
export const plantedWord = /\bzq([a-z]+)-(talk|note|sign|news)-\d+\b/g;

/** Each input begins with its own number and its user: how a model that has forgotten all else knows what it is asked. */
const inputMark = /\((\w\d+) zq([a-z]+)\)/g;

const summaryAsked = "Write down what was said so far, for yourself";

/** A model that says only what it was told: whatever is missing in its request is missing in its answer. */
export function createMind(): (body: string) => Speech {
  const called = new Map<string, number>();
  return (body) => {
    const heard = heardIn(body);
    const text = heard.map((one) => one.text).join("\n");
    if (heard.at(-1)?.text.includes(summaryAsked) || heard.at(-2)?.text.includes(summaryAsked)) return sumUp(text);
    const asked = heard.findLast(({ role, text: words }) => role === "user" && words.search(inputMark) !== -1);
    const [, turn = "", user = ""] = [...(asked?.text.matchAll(inputMark) ?? [])].at(-1) ?? [];
    const input = asked?.text.slice(asked.text.lastIndexOf(`(${turn} zq`)) ?? "";
    const made = called.get(turn) ?? 0;
    const said = answer({ turn, user, input, made, heard });
    if (said.calls) called.set(turn, made + 1);
    return said;
  };
}

type Asked = {
  readonly turn: string;
  readonly user: string;
  readonly input: string;
  /** So many times it has called tools in this turn. */
  readonly made: number;
  readonly heard: readonly Heard[];
};

function answer({ turn, user, input, made, heard }: Asked): Speech {
  const call = (name: string, given: object): Speech => ({
    calls: [{ id: `${turn}-${made}`, name, input: JSON.stringify(given) }],
  });
  const said = (words: string): Speech => ({ text: words.match(/\S+\s*/g) ?? [words] });
  const [word = ""] = input.match(plantedWord) ?? [];
  const done = heard.findLast(({ role }) => role === "tool")?.text ?? "";
  if (/^\S+ \S+ Remember/.test(input)) return said(`Noted, ${word}.`);
  if (/^\S+ \S+ Keep a note/.test(input))
    return made === 0 ? call("save_memory", { content: `They want kept: ${word}` }) : said(`Kept ${word}.`);
  if (/^\S+ \S+ Always sign/.test(input))
    return made === 0 ? call("update_instructions", { instructions: `Sign with ${word}.` }) : said(`I sign ${word}.`);
  if (/^\S+ \S+ Remind me/.test(input)) {
    const [, at, reminder] = /at (\S+) \[(\w\d+)\]/.exec(input) ?? [];
    if (made === 0) return call("set_reminder", { at, text: `(${reminder} zq${user}) Bring the news ${word}.` });
    return said(done.includes('"id"') ? `I will bring ${word}.` : `It was not set: ${done}`);
  }
  if (/^\S+ \S+ Bring the news/.test(input)) return said(`Here is the news: ${word}. More of it when you ask.`);
  const [, pages] = /^\S+ \S+ Read (\d+) pages/.exec(input) ?? [];
  if (pages !== undefined) {
    const chars = Number(/of (\d+) characters/.exec(input)?.[1]);
    return made < Number(pages) ? call("read_page", { page: made + 1, chars }) : said(`I read ${pages} pages.`);
  }
  if (/^\S+ \S+ Which notes/.test(input))
    return made === 0 ? call("read_memory", { query: "kept" }) : said(`Notes: ${wordsOf(done, "note")}.`);
  if (/^\S+ \S+ How do you sign/.test(input)) return said(`I sign ${standing(heard)}.`);
  const text = heard.map((one) => one.text).join("\n");
  if (/^\S+ \S+ Which words/.test(input)) return said(`Words: ${wordsOf(text, "talk")}.`);
  if (/^\S+ \S+ Which news/.test(input)) return said(`News: ${wordsOf(text, "news")}.`);
  return said("I do not know what you mean.");
}

/** What the instructions say: those of the prompt, unless it was told later that they have changed. */
function standing(heard: readonly Heard[]): string {
  const told = heard.filter(({ role }) => role === "system" || role === "user").map(({ text }) => text);
  return [...told.join("\n").matchAll(/Sign with (zq\S+)\./g)].at(-1)?.[1] ?? "with nothing";
}

/** All planted words of a kind, each once, as they first appear. */
function wordsOf(text: string, kind: string): string {
  return [...new Set([...text.matchAll(plantedWord)].flatMap(([word, , of]) => (of === kind ? [word] : [])))].join(" ");
}

function sumUp(text: string): Speech {
  return { text: [`I was told: ${wordsOf(text, "talk")}. `, `I brought: ${wordsOf(text, "news")}.`] };
}
