import { parts } from "./notes.ts";

/** A question, the note that answers it, and what it is of. */
export type Question = {
  readonly text: string;
  readonly answer: string;
  readonly language: string;
  readonly kind: "inflected" | "paraphrased" | "misspelt";
  readonly heldOut: boolean;
};

/** 1,000 notes, five languages, in an order in which no two neighbours are alike. */
export function notes(): string[] {
  return parts[0]?.rows.flatMap((_, row) =>
    Array.from({ length: 10 }, (_, name) =>
      parts.map(({ names, rows }) => filled(rows[row]?.[0] ?? "", names[(name + row) % 10] as string)),
    ).flat(),
  ) as string[];
}

/** 200 of them: of each row one in other forms, every fourth with a letter lost, and one in other words. */
export function questions(): Question[] {
  return parts.flatMap(({ language, names, rows }) =>
    rows.flatMap(([note, inflected, paraphrased], row): Question[] => {
      const [first, second] = [names[(3 * row) % 10] as string, names[(3 * row + 5) % 10] as string];
      const about = { language, heldOut: row % 2 === 1 };
      const isMisspelt = Math.floor(row / 2) % 4 === 3;
      const asked = filled(inflected, first);
      return [
        {
          ...about,
          text: isMisspelt ? misspelt(asked, first) : asked,
          answer: filled(note, first),
          kind: isMisspelt ? "misspelt" : "inflected",
        },
        { ...about, text: filled(paraphrased, second), answer: filled(note, second), kind: "paraphrased" },
      ];
    }),
  );
}

const filled = (words: string, name: string) => words.replaceAll("{name}", name);

/** Its longest word without its fourth letter; the name stays. */
function misspelt(words: string, name: string): string {
  const [longest = ""] = [...words.matchAll(/\p{L}+/gu)]
    .map(([word]) => word)
    .filter((word) => word !== name)
    .sort((one, other) => other.length - one.length);
  return words.replace(longest, longest.slice(0, 3) + longest.slice(4));
}
