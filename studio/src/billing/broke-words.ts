import type { CacheBreak } from "./sample.ts";

export type BrokeWords = { readonly text: string; readonly is: "words" | "section" | "turn" };

/** What broke the cache, with the section and the turn it names set apart, so that they can lead there. */
export function brokeWords({ says, section, turn }: CacheBreak): readonly BrokeWords[] {
  const named: readonly (readonly [string | null, BrokeWords["is"]])[] = [
    [section, "section"],
    [turn, "turn"],
  ];
  let words: readonly BrokeWords[] = [{ text: says, is: "words" }];
  for (const [name, is] of named) {
    if (name === null || name === "") continue;
    const at = words.findIndex((one) => one.is === "words" && one.text.includes(name));
    const found = words[at];
    if (!found) continue;
    const start = found.text.indexOf(name);
    const parts: readonly BrokeWords[] = [
      { text: found.text.slice(0, start), is: "words" },
      { text: name, is },
      { text: found.text.slice(start + name.length), is: "words" },
    ];
    words = [...words.slice(0, at), ...parts.filter(({ text }) => text !== ""), ...words.slice(at + 1)];
  }
  return words;
}
