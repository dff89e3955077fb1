import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { addressOf, createHere } from "./here.ts";

const folder = mkdtempSync(join(tmpdir(), "charter-here-"));
afterAll(() => rmSync(folder, { recursive: true }));

function named(name: string, port: number) {
  const settings = join(folder, `${name}.mjs`);
  writeFileSync(settings, `export default { port: ${port}, mcp: { ${name}: { command: ["${name}"] } } };`);
  return createHere({ said: { named: settings } });
}

test("what was said for one run holds for that run alone, while another goes on in the same process", async () => {
  const [one, other, none] = [named("one", 1), named("other", 2), createHere({ said: { without: true } })];
  const seen = await Promise.all(
    [one, other, none].map(async (here) => [(await here.settings())?.port, await here.setting("mcp")]),
  );
  expect(seen).toEqual([
    [1, { one: { command: ["one"] } }],
    [2, { other: { command: ["other"] } }],
    [undefined, undefined],
  ]);
  expect([one, none].map((here) => here.saidOf(process.cwd()))).toEqual([
    { named: join(folder, "one.mjs") },
    { without: true },
  ]);
  expect(one.saidOf(folder)).toBeUndefined();
});

test("a .env beside the settings that were named is under this process's environment, and no part of it", async () => {
  const here = named("beside", 3);
  writeFileSync(join(folder, ".env"), "CHARTER_HERE=from the file\nPATH=nowhere\n");
  const env = await here.environment();
  expect([env.CHARTER_HERE, env.PATH, process.env.CHARTER_HERE]).toEqual([
    "from the file",
    process.env.PATH,
    undefined,
  ]);
  expect(await here.environment()).toBe(env);
  writeFileSync(join(folder, ".env"), "CHARTER_HERE=again\n");
  expect((await here.environment()).CHARTER_HERE).toBe("again");
  rmSync(join(folder, ".env"));
});

test("the server is where the settings say, else on this machine", async () => {
  expect(await addressOf(named("address", 4))).toBe("http://127.0.0.1:4");
  expect(await addressOf(createHere({ said: { without: true } }))).toBe("http://127.0.0.1:4747");
});
