// How often the note that answers a question is among the first five: 200 questions over 1,000 notes in five languages.
// Half of the questions are held out: nothing was tuned by them.

import { createStore, sqlite } from "../charter/src/store/index.ts";
import { bestFirst, rankNotes } from "../charter/src/store/memory/search-notes.ts";
import { readQuery, type SearchTerm, stemsOf } from "../charter/src/store/memory/stems.ts";
import { wordsOf } from "../charter/src/store/texts/text.ts";
import { characterTrigrams, sentenceEncoder } from "./recall/embedders.ts";
import { notes, type Question, questions } from "./recall/recall-set.ts";

type Way = { readonly name: string; readonly find: (query: string) => Promise<readonly string[]> };

const all = notes();
const asked = questions();
const most = 5;

/** Ranks without a store: notes as `stems` has them, terms as `terms` reads them. */
function ranked(name: string, stems: (text: string) => string, terms: (query: string) => readonly SearchTerm[]): Way {
  const lines = [
    all
      .map((text, number) => `${number} ${stems(text)}`)
      .toReversed()
      .join("\n"),
  ];
  return {
    name,
    find: async (query) => {
      const wanted = terms(query);
      const { notes: found } = rankNotes({ lines }, { wanted, unwanted: [], total: all.length });
      const whole = found.filter(({ direct }) => direct === wanted.length);
      const best = bestFirst(whole.length > 0 ? whole : found).slice(0, most);
      return best.map((number) => all[number] as string);
    },
  };
}

const asWritten = (text: string) => wordsOf(text).map((word) => word.folded);
const plainTerms = (query: string) =>
  [...new Set(asWritten(query))].map((text): SearchTerm => ({ text, forms: new Map([[text, 1]]) }));

const store = await createStore(sqlite(":memory:"));
await store.agents.put({ name: "recall", charter: "assistant" });
const scope = { agent: "recall", user: "ada" };
for (const text of all) await store.memory.save(scope, { text });

const searched = (name: string, memory = store.memory): Way => ({
  name,
  find: async (query) => (await memory.search(scope, query, { limit: most })).notes.map(({ text }) => text),
});

const ways: readonly Way[] = [
  ranked("words alone", (text) => asWritten(text).join(" "), plainTerms),
  ranked("stems", stemsOf, (query) => readQuery(query).wanted),
  searched("stems and trigrams, as Charter searches"),
  ...[characterTrigrams, await sentenceEncoder()].map((embedder) =>
    searched(`fused with ${embedder.name}`, store.memory.withEmbedder(embedder)),
  ),
];

const groups: readonly (readonly [string, (question: Question) => boolean])[] = [
  ["all", () => true],
  ["held out", ({ heldOut }) => heldOut],
  ...(["inflected", "misspelt", "paraphrased"] as const).map(
    (kind) => [kind, (question: Question) => question.kind === kind] as const,
  ),
  ...["English", "German", "French", "Spanish", "Russian"].map(
    (language) => [language, (question: Question) => question.language === language] as const,
  ),
];

process.stdout.write(`recall@${most}, ${asked.length} questions over ${all.length} notes, per cent\n\n`);
process.stdout.write(`| | ${groups.map(([name]) => name).join(" | ")} |\n|---|${"---:|".repeat(groups.length)}\n`);
for (const { name, find } of ways) {
  const hits = new Set<Question>();
  for (const question of asked) if ((await find(question.text)).includes(question.answer)) hits.add(question);
  const cells = groups.map(([, belongs]) => {
    const of = asked.filter(belongs);
    return Math.round((100 * of.filter((question) => hits.has(question)).length) / of.length);
  });
  process.stdout.write(`| ${name} | ${cells.join(" | ")} |\n`);
}
await store.close();
