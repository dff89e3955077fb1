import { expect, test } from "vitest";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("memory", (given) => {
  /** A user's notes, each a second after the one before. */
  const notesOf = async (...all: readonly string[]) => {
    const scope = await given.scope();
    for (const text of all) {
      given.clock.move(1000);
      await given.store.memory.save(scope, { text });
    }
    const found = async (query: string, page: object = {}) => {
      const { by, notes } = await given.store.memory.search(scope, query, page);
      return [by, ...notes.map(({ text }) => text)];
    };
    return { scope, found };
  };

  test("a note is kept with where it came from, and the newest is listed first", async () => {
    const scope = await given.scope();
    const first = await given.store.memory.save(scope, { text: "Likes tea." });
    const id = expect.any(String);
    const at = given.clock.text();
    expect(first).toEqual({ id, scope, key: null, text: "Likes tea.", tainted: false, turn: null, at });
    const second = await given.store.memory.save(scope, {
      text: "Owns a cat.",
      key: "pet",
      tainted: true,
      turn: "t1",
    });
    expect(second).toEqual({ id, scope, key: "pet", text: "Owns a cat.", tainted: true, turn: "t1", at });
    expect(await given.store.memory.list(scope)).toEqual([second, first]);
    expect(await given.store.memory.search(scope, "cat")).toEqual({ notes: [second], by: "all-words" });
  });

  test("a fact that has a key is replaced, and the old words are found no more", async () => {
    const { scope, found } = await notesOf("Something else.");
    await given.store.memory.save(scope, { key: "city", text: "Lives in Paris." });
    await given.store.memory.save(scope, { key: "city", text: "Lives in Rome." });
    await given.store.memory.save({ agent: scope.agent, user: "cy" }, { key: "city", text: "Lives in Oslo." });
    const words = (await given.store.memory.list(scope)).map((note) => note.text);
    expect(words).toEqual(["Lives in Rome.", "Something else."]);
    expect(await found("paris")).toEqual(["substring"]);
    expect(await found("city")).toEqual(["all-words", "Lives in Rome."]);
  });

  test("the note that says more of what was asked comes first, among equals the newest", async () => {
    const { found } = await notesOf("tea, once", "tea and tea and tea", "tea, once", "coffee only");
    expect(await found("tea")).toEqual(["all-words", "tea and tea and tea", "tea, once", "tea, once"]);
    const { scope } = await notesOf("green tea", "green tea", "green tea");
    const { notes } = await given.store.memory.search(scope, "green tea");
    const ats = notes.map(({ at }) => at);
    expect(ats).toEqual([...ats].sort().reverse());
  });

  test("of a search of any length the first 64 words count, wanted, unwanted and in a phrase", async () => {
    const { found } = await notesOf("green tea", "black tea");
    const many = (word: (index: number) => string) => Array.from({ length: 1000 }, (_, index) => word(index)).join(" ");
    const others = many((index) => `zq${index}`);
    expect(await found(`tea ${others}`)).toEqual(["any-word", "black tea", "green tea"]);
    expect(await found(`${others} tea`)).toEqual(["substring"]);
    expect(await found(`tea -green ${many((index) => `-zq${index}`)}`)).toEqual(["all-words", "black tea"]);
    expect(await found(many((index) => `-zq${index}`))).toEqual(["substring", "black tea", "green tea"]);
    expect(await found(`"${others}"`)).toEqual(["substring"]);
    expect(await found(`tea ${many((index) => `"zq${index} tea and milk"`)}`)).toEqual([
      "any-word",
      "black tea",
      "green tea",
    ]);
  });

  test("quoted words stay together, a word with a minus leaves notes out", async () => {
    const { found } = await notesOf("green tea with milk", "tea with green leaves", "black tea");
    expect(await found('"green tea"')).toEqual(["all-words", "green tea with milk"]);
    expect(await found("tea -green")).toEqual(["all-words", "black tea"]);
    expect(await found('tea -"green tea" -black')).toEqual(["all-words", "tea with green leaves"]);
    expect(await found("tea coffee -milk")).toEqual(["any-word", "black tea", "tea with green leaves"]);
    const many = Array.from({ length: 300 }, (_, index) => `-word${index}`).join(" ");
    expect(await found(`black ${many}`)).toEqual(["all-words", "black tea"]);
    expect(await found("-green")).toEqual(["substring", "black tea"]);
    expect(await found('"tea green" milk')).toEqual(["any-word", "green tea with milk"]);
  });

  test("all the words, else any of them, else a part of one", async () => {
    const { found } = await notesOf("The café opens at nine.", "Tea at four.");
    expect(await found("opens NINE")).toEqual(["all-words", "The café opens at nine."]);
    expect(await found("opens midnight")).toEqual(["any-word", "The café opens at nine."]);
    expect(await found("pen")).toEqual(["substring", "The café opens at nine."]);
    expect(await found("zebra")).toEqual(["substring"]);
  });

  const scripts: [what: string, note: string, ...queries: string[]][] = [
    ["accents and case do not matter", "Zoë's crème brûlée", "zoe", "CREME", "brulee", "Zoë"],
    ["one form is as good as another", "re\u0301sume\u0301", "résumé", "resume"],
    ["Greek", "Η Αθήνα είναι όμορφη", "αθηνα", "ΌΜΟΡΦΗ"],
    ["Russian", "Живёт в Москве", "москве", "живет"],
    ["Arabic", "يسكن في القاهرة،", "القاهرة", "يسكن"],
    ["Hebrew", "גר בתל אביב", "אביב"],
    ["Hindi", "दिल्ली में रहता है।", "दिल्ली", "है"],
    ["Thai, which has no spaces", "ชอบดื่มชาเขียว", "ชา"],
    ["Japanese", "東京に住んでいます。", "東京", "住んで"],
    ["Chinese", "他喜欢绿茶，不喜欢咖啡", "绿茶", "咖啡"],
    ["Korean", "서울에 살아요", "서울에", "살아"],
    ["emoji", "Her cat 🐈‍⬛ sleeps", "🐈", "cat"],
    ["full width", "Ｒｏｏｍ　１２", "room", "12"],
    ["words with signs around them", "“tea”—green…🍵tea/coffee (milk)", "tea", "green", "coffee", "milk"],
    ["addresses and paths", "Write to Bo.Doe@Example.com, see /srv/data-old/x_y.txt", "example", "bo", "data", "old"],
    ["numbers", "Paid 1,234.50 € on 2026-02-18", "2026", "1,234.50", "18"],
    ["code", "Use f(x) => x?.y ?? 'z' in C++ & C#", "f(x)", "c++", "??", "=>"],
  ];
  for (const [what, note, ...queries] of scripts)
    test(`${what}: a note is found by its words in any script`, async () => {
      const { found } = await notesOf(note, "Nothing of the kind.");
      for (const query of queries) {
        const [by, ...notes] = await found(query);
        expect([query, notes]).toEqual([query, [note]]);
        expect(by).toMatch(/all-words|substring/);
      }
    });

  const inflected: [language: string, note: string, ...queries: string[]][] = [
    ["English", "My sister runs a bakery in Leeds.", "sisters", "who is running bakeries?"],
    ["German", "Meine Schwester wohnt in einem alten Haus.", "Schwestern", "Welche Häuser gibt es?", "wohnen"],
    ["French", "Les chevaux de ma tante habitent près de la forêt.", "un cheval", "tantes", "forets"],
    ["Spanish", "Mi hermana trabajaba en una librería.", "hermanas", "¿dónde trabajan?", "librerías"],
    ["Portuguese", "A irmã dela trabalha na padaria.", "padarias", "trabalhando"],
    ["Italian", "Mia sorella abita vicino alla stazione.", "sorelle", "abitano"],
    ["Dutch", "Mijn kinderen fietsen naar school.", "scholen fietsen", "fietst"],
    ["Russian", "Моя сестра работает в книжном магазине.", "сёстры", "работать", "магазины"],
    ["no language that shows", "Zahnarzt Termine Dienstag", "Termin", "Zahnärzte"],
  ];
  for (const [language, note, ...queries] of inflected)
    test(`${language}: a note is found by other forms of its words`, async () => {
      const { found } = await notesOf(note, "Nothing of the kind.", "42");
      for (const query of queries) expect([query, (await found(query))[1]]).toEqual([query, note]);
    });

  test("a word that no note has is taken for the words most like it", async () => {
    const { found } = await notesOf(
      "Her birthday is on 3 May.",
      "The Hausschlüssel hangs by the door.",
      "Tea at four.",
    );
    expect(await found("brthday")).toEqual(["similar", "Her birthday is on 3 May."]);
    expect(await found("Hausschlüsselbrett")).toEqual(["similar", "The Hausschlüssel hangs by the door."]);
    expect(await found("tea brithday")).toEqual(["any-word", "Tea at four.", "Her birthday is on 3 May."]);
    expect(await found("zzgl")).toEqual(["substring"]);
  });

  test("a note that is changed is found by its new words, and keeps its name", async () => {
    const { scope, found } = await notesOf("Something else.");
    const { id } = await given.store.memory.save(scope, { key: "city", text: "Lives in Paris.", tainted: true });
    given.clock.move(1000);
    const changed = await given.store.memory.update(scope, id, { text: "Lives in Rome.", turn: "t2" });
    const at = given.clock.text();
    expect(changed).toEqual({ id, scope, key: "city", text: "Lives in Rome.", tainted: false, turn: "t2", at });
    expect(await found("paris")).toEqual(["substring"]);
    expect(await found("rome city")).toEqual(["all-words", "Lives in Rome."]);
    expect(await given.store.memory.find(scope, { key: "city" })).toEqual(changed);
    expect(await given.store.memory.count(scope)).toBe(2);
    const others = { agent: scope.agent, user: "cy" };
    expect(await problemOf(given.store.memory.update(others, id, { text: "x" }))).toMatch(/^unknown-note: /);
    expect(await problemOf(given.store.memory.update(scope, id, { text: " " }))).toMatch(/^bad-note: /);
  });

  test("a word of 8,000 letters is kept and found", async () => {
    const { found } = await notesOf("я".repeat(8000), "𐐷".repeat(7000));
    expect((await found("я".repeat(8000)))[0]).toBe("all-words");
    expect((await found("𐐷".repeat(7000)))[0]).toBe("all-words");
  });

  for (const query of [
    "",
    "   ",
    '""',
    "-",
    "--",
    "*",
    "'",
    "%",
    "_",
    "\\",
    "AND",
    "NOT x OR",
    "a*",
    "(",
    "$1",
    "?",
    ":",
  ])
    test(`a search for ${JSON.stringify(query)} is words like any other`, async () => {
      const { found } = await notesOf("plain note");
      expect((await found(query))[0]).toMatch(/all-words|any-word|substring/);
    });

  test("a search for nothing lists everything, a search for a sign finds the sign", async () => {
    const { found } = await notesOf("100% sure", "50_50", "a\\b", "it's", "x ? y");
    expect(await found("")).toEqual(["substring", "x ? y", "it's", "a\\b", "50_50", "100% sure"]);
    for (const [sign, note] of [
      ["%", "100% sure"],
      ["_", "50_50"],
      ["\\", "a\\b"],
      ["'", "it's"],
      ["?", "x ? y"],
    ])
      expect(await found(sign as string)).toEqual(["substring", note]);
  });

  test("pages follow each other without a gap, and a later page keeps to what the first found", async () => {
    const { scope, found } = await notesOf(
      ...Array.from({ length: 25 }, (_, index) => `tea number ${index}`),
      "coffee",
    );
    const pages = await Promise.all([0, 10, 20, 30].map((offset) => found("tea", { limit: 10, offset })));
    expect(pages.map(([by, ...notes]) => [by, notes.length])).toEqual([
      ["all-words", 10],
      ["all-words", 10],
      ["all-words", 5],
      ["all-words", 0],
    ]);
    const all = pages.flatMap(([, ...notes]) => notes);
    expect(all).toEqual(Array.from({ length: 25 }, (_, index) => `tea number ${24 - index}`));
    const listed = [
      ...(await given.store.memory.list(scope, { limit: 20 })),
      ...(await given.store.memory.list(scope, { limit: 20, offset: 20 })),
    ];
    expect(listed.map(({ text }) => text)).toEqual(["coffee", ...all]);
    const parts = await Promise.all([0, 15].map((offset) => found("numb", { limit: 15, offset })));
    expect(parts.flatMap(([, ...notes]) => notes)).toEqual(all);
  });

  test("what is forgotten is gone, and nobody forgets for another", async () => {
    const { scope, found } = await notesOf("Keep.", "Forget me.");
    const [note] = await given.store.memory.list(scope);
    const id = note?.id as string;
    const unknown = `unknown-note: There is no note “${id}” here. See the notes with \`charter memory\`.`;
    expect(await problemOf(given.store.memory.forget({ agent: scope.agent, user: "cy" }, id))).toBe(unknown);
    await given.store.memory.forget(scope, id);
    expect(await found("forget")).toEqual(["substring"]);
    expect(await problemOf(given.store.memory.forget(scope, id))).toBe(unknown);
  });

  test("the agent's own notes and each user's are apart", async () => {
    const agent = await given.agent();
    const scopes = [{ agent }, { agent, user: "bo" }, { agent, user: "cy" }];
    for (const [index, scope] of scopes.entries()) await given.store.memory.save(scope, { text: `secret ${index}` });
    for (const [index, scope] of scopes.entries()) {
      const { notes } = await given.store.memory.search(scope, "secret");
      expect(notes.map(({ text }) => text)).toEqual([`secret ${index}`]);
      expect((await given.store.memory.list(scope)).map(({ text }) => text)).toEqual([`secret ${index}`]);
    }
  });

  test("a note has words, and at most 8,000 characters of them", async () => {
    const scope = await given.scope();
    const longest = "😀".repeat(8000);
    expect((await given.store.memory.save(scope, { text: longest })).text).toBe(longest);
    expect(await problemOf(given.store.memory.save(scope, { text: `${longest}!` }))).toBe(
      "bad-note: The note has 8,001 characters; the limit is 8,000. Keep it in several notes.",
    );
    expect(await problemOf(given.store.memory.save(scope, { text: " \n " }))).toBe(
      "bad-note: A note without words cannot be kept. Give it some.",
    );
    expect(await problemOf(given.store.memory.save(scope, { text: "x", key: "k".repeat(201) }))).toMatch(/^bad-name: /);
  });
});
