import { expect, test } from "vitest";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("windows", (given) => {
  const at = (address: string) => ({ model: "ollama/qwen3", address: `http://${given.name}.${address}/v1` });

  test("a window is kept by model and address, for every process", async () => {
    const { windows } = given.store;
    const served = at("one");
    expect(await windows.get(served)).toBeUndefined();
    const kept = { ...served, tokens: 4096, how: "asked", at: expect.any(String) };
    expect(await windows.learn({ ...served, tokens: 4096, how: "asked" })).toEqual(kept);
    expect(await (await given.another()).windows.get(served)).toEqual(kept);
    expect(await windows.get({ ...served, model: "ollama/qwen3:4b" })).toBeUndefined();
    expect(await windows.get(at("two"))).toBeUndefined();
  });

  const rules = [
    ["what the server tells replaces what it told", ["asked", 4096], ["asked", 8192], ["asked", 8192]],
    ["what a fault said replaces what the server told", ["asked", 8192], ["said", 4096], ["said", 4096]],
    ["what a fault said replaces a guess, also when it is more", ["guessed", 3000], ["said", 4096], ["said", 4096]],
    ["what a fault said is replaced by what the next one says", ["said", 4096], ["said", 8192], ["said", 8192]],
    ["what the server tells does not raise what a fault taught", ["said", 4096], ["asked", 8192], ["said", 4096]],
    ["what the server tells does not raise a guess", ["guessed", 4096], ["asked", 8192], ["guessed", 4096]],
    ["what the server tells lowers a guess", ["guessed", 9000], ["asked", 8192], ["asked", 8192]],
    ["a guess goes down by a fault", ["guessed", 9000], ["guessed", 8000], ["guessed", 8000]],
    ["a guess never goes up by a fault", ["guessed", 8000], ["guessed", 9000], ["guessed", 8000]],
    ["a guess lowers what the server told: it refused less", ["asked", 8192], ["guessed", 7000], ["guessed", 7000]],
    ["a guess above what is known teaches nothing", ["said", 8192], ["guessed", 9000], ["said", 8192]],
  ] as const;

  test.each(rules)("%s", async (story, [firstHow, first], [nextHow, next], [how, tokens]) => {
    const { windows } = given.store;
    const served = at(story.replaceAll(/\W+/g, "-"));
    await windows.learn({ ...served, tokens: first, how: firstHow });
    const held = { ...served, tokens, how, at: expect.any(String) };
    expect(await windows.learn({ ...served, tokens: next, how: nextHow })).toEqual(held);
    expect(await windows.get(served)).toEqual(held);
  });

  test("a larger request that was answered raises a guess, and nothing else", async () => {
    const { windows } = given.store;
    await windows.raise(at("raised"), 5000);
    expect(await windows.get(at("raised"))).toBeUndefined();
    const became = [];
    for (const how of ["guessed", "said", "asked"] as const) {
      await windows.learn({ ...at(`raised-${how}`), tokens: 4000, how });
      await windows.raise(at(`raised-${how}`), 3000);
      await windows.raise(at(`raised-${how}`), 5000);
      became.push([how, (await windows.get(at(`raised-${how}`)))?.tokens]);
    }
    expect(became).toEqual([
      ["guessed", 5000],
      ["said", 4000],
      ["asked", 4000],
    ]);
  });

  test("of many processes that guess at once the least holds", async () => {
    const stores = [given.store, await given.another()];
    const served = at("many");
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        stores[index % 2]?.windows.learn({ ...served, tokens: 9000 - index, how: "guessed" }),
      ),
    );
    expect((await given.store.windows.get(served))?.tokens).toBe(8989);
  });

  test("what is no window is refused", async () => {
    const { learn, raise } = given.store.windows;
    for (const tokens of [0, -1, 1.5, Number.NaN, "4096" as never])
      expect(await problemOf(learn({ ...at("bad"), tokens, how: "said" }))).toMatch(/^bad-window: /);
    expect(await problemOf(raise(at("bad"), 0))).toMatch(/^bad-window: /);
    expect(await problemOf(learn({ model: "", address: "", tokens: 1, how: "said" }))).toMatch(/^bad-name: /);
  });
});
