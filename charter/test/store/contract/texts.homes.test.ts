import { expect, test } from "vitest";
import { sql } from "../../../src/store/home/sql.ts";
import { createTexts } from "../../../src/store/texts/text.ts";
import { longWords } from "../lived.ts";
import { onEveryHome } from "./given.ts";

onEveryHome("texts that are read together", (given) => {
  test("are all there, also when reading some pushes out what was remembered of others", async () => {
    const { home } = given.store;
    const owner = "wren";
    const words = Array.from({ length: 10 }, (_, index) => longWords("wren", index));
    const digests: string[] = [];
    const texts = createTexts({ keep: 3 * (words[0] as string).length });
    await home.write({ agent: "", user: owner }, async (db) => {
      for (const text of words) digests.push(await texts.put(db, owner, text, digests.at(-1)));
    });
    const wanted = [0, 1, 2, 3, 9].map((index) => digests[index] as string);
    const found = await home.read("everything", async (db) => {
      await texts.get(db, owner, digests[9] as string);
      return texts.getAll(db, owner, [...wanted, "nothing"]);
    });
    expect([...found]).toEqual([0, 1, 2, 3, 9].map((index) => [digests[index], words[index]]));
  });

  test("are left out where their words were changed, and so is what is packed against them", async () => {
    const { home } = given.store;
    const owner = "finch";
    const texts = createTexts();
    const [first, second, third] = await home.write({ agent: "", user: owner }, async (db) => {
      const one = await texts.put(db, owner, longWords(owner, 1));
      return [
        one,
        await texts.put(db, owner, longWords(owner, 2), one),
        await texts.put(db, owner, "Others."),
      ] as const;
    });
    await home.write("everything", (db) =>
      db.run(sql`update texts set body = ${Buffer.from("Forged.")}, packed = ${0} where digest = ${first}`),
    );
    const found = await home.read("everything", (db) => createTexts().getAll(db, owner, [first, second, third]));
    expect([...found]).toEqual([[third, "Others."]]);
  });
});
