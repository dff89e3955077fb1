import { readBody } from "../../agent/on-wire.ts";
import { ownersIn } from "./hostile-posts.ts";
import { rareLines } from "./rare-lines.ts";

/** Whatever somebody may take for the end of a line. */
const ends = /\r\n|[\n\r\v\f\u0085\u2028\u2029\u2424]|\p{Cc}(?<!\t)/u;
/** What no eye sees, and what turns a line around: all but tab and newline. */
const unseen =
  /[\p{Cc}\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\u{e0000}-\u{e01ef}]/u;

/** Looks at each request: what is said outside of fences to those who only ask is what may be said there to anybody. */
export function createWireCheck() {
  const known = new Set<string>();
  const faults: string[] = [];
  let isPlain = true;
  return {
    faults,
    isPlain: () => isPlain,
    /** From here on somebody may be hostile. */
    endPlain: () => {
      isPlain = false;
    },
    /** The words are those of the messages that it asks about. */
    look: (body: string, words: readonly string[]) => {
      if (isPlain) for (const line of linesOutside(body)) known.add(line);
      faults.push(...faultsOnWire(body, ownersIn(words.join(" ")), known));
    },
  };
}

/** What a request says outside of every fence: its lines without quoted ones and strings, numbers and names left open. */
function linesOutside(body: string): Set<string> {
  const lines = new Set<string>();
  for (const text of toldIn(body))
    for (const line of text.split(ends)) if (!line.startsWith(">")) lines.add(withoutNames(line));
  return lines;
}

/** What is wrong with a request that may hold the words of these, and says outside its fences what is known. */
function faultsOnWire(body: string, may: ReadonlySet<number>, known: ReadonlySet<string>): string[] {
  const faults = [...ownersIn(body)].filter((one) => !may.has(one)).map((one) => `it has words of sender ${one}`);
  for (const text of toldIn(body)) {
    const hidden = unseen.exec(text.replace(/[\t\n]/g, ""));
    if (hidden) faults.push(`it has U+${hidden[0].codePointAt(0)?.toString(16)}`);
  }
  for (const line of linesOutside(body)) {
    if (ownersIn(line).size > 0) faults.push(`a stranger's words are outside a fence: ${line.slice(0, 200)}`);
    else if (!known.has(line) && !rareLines.some((one) => one.test(line)))
      faults.push(`outside of all fences it says: ${line.slice(0, 200)}`);
  }
  return faults;
}

/** All but what the model itself has said. */
function toldIn(body: string): string[] {
  return readBody("anthropic", body).spoken.flatMap((one) => {
    if (one.role === "result") return [one.output];
    return one.role === "system" || one.role === "user" ? [one.text] : [];
  });
}

function withoutNames(line: string): string {
  return line
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\[system [0-9a-f]+\]/g, "[system]")
    .replace(/(note |\[)[0-9a-z]{8,}/g, "$1<note>")
    .replace(/^- [0-9a-z]{10,}(?=: "")/, "- <note>")
    .replace(/chain:\d+:0x[0-9a-f]{40}:0x[0-9a-f]{64}:\d+(?::[0-9a-f]{16})?/g, "<id>")
    .replace(/(?:(?:, | and )?“?<id>”?)+/g, " <ids>")
    .replace(/0x[0-9a-f]{40}/g, "<address>")
    .replace(/\d[\d.,:TZ-]*/g, "0")
    .trimEnd();
}
