type Files = ReadonlyMap<string, string>;

const file = (files: Files, name: string): string => files.get(`dict/${name}`) ?? "";

/** The lemmas that share the first sense of a noun, or one of the first two of a verb. */
export function synonyms(files: Files, part: "verb" | "noun", word: string): string[] {
  const entry = file(files, `index.${part}`)
    .split("\n")
    .find((line) => line.startsWith(`${word} `));
  const offsets =
    entry
      ?.trim()
      .split(/\s+/u)
      .filter((field) => /^\d{8}$/u.test(field))
      .slice(0, part === "verb" ? 2 : 1) ?? [];
  const lines = file(files, `data.${part}`).split("\n");
  return offsets.flatMap((offset) => lemmas(lines.find((line) => line.startsWith(`${offset} `)) ?? ""));
}

function lemmas(line: string): string[] {
  const fields = line.split(" ");
  const count = Number.parseInt(fields[3] ?? "0", 16);
  return Array.from({ length: count }, (_, number) => (fields[4 + number * 2] ?? "").replaceAll("_", " "));
}

/** Names of animals, artifacts, food and plants, evenly picked. */
export function thingsOf(files: Files, count: number): string[] {
  const kinds = new Set(["05", "06", "13", "20"]);
  const all = file(files, "data.noun")
    .split("\n")
    .filter((line) => /^\d{8} /u.test(line) && kinds.has(line.slice(9, 11)))
    .map((line) => lemmas(line)[0] ?? "")
    .filter((lemma) => /^[a-z]{4,}$/u.test(lemma));
  const stride = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, index) => index % stride === 0).slice(0, count);
}

/** The sentences WordNet gives as examples. */
export function examples(files: Files): string[] {
  return ["verb", "noun", "adj", "adv"].flatMap((part) =>
    Array.from(file(files, `data.${part}`).matchAll(/"([^"\n]{12,})"/gu), ([, text]) => text ?? "").filter(
      (text) => text.split(" ").length > 3,
    ),
  );
}
