import { linkSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Charter } from "../prompt/charter.ts";
import { lockOf } from "../prompt/lock.ts";
import { sha256 } from "../store/texts/packing.ts";
import { compareLock, createLockCheck } from "./load.ts";

const named = (name: string, words = "Never bore anyone."): Charter => ({
  name,
  layers: [{ name: "law", mutability: "fixed", sections: [{ name: "law", words }] }],
});

/** A project whose charter “poet” was locked by its file. */
const folder = mkdtempSync(join(tmpdir(), "charter-lock-"));
const path = join(folder, "charter.lock");
for (const file of ["poet.ts", "other.ts"]) writeFileSync(join(folder, file), "");
symlinkSync("poet.ts", join(folder, "soft.ts"));
linkSync(join(folder, "poet.ts"), join(folder, "hard.ts"));
writeFileSync(path, JSON.stringify({ ...lockOf([named("poet")], sha256), files: { poet: "./poet.ts" } }));
afterAll(() => rmSync(folder, { recursive: true }));

const from = (file: string) => join(folder, file);
const compared = (charter: Charter, file: string) =>
  compareLock({ charter, from: from(file) }, path, true).then(
    () => "as locked, or not locked at all",
    (problem: Error) => problem.message,
  );

for (const name of ["poet ", "Poet", "p\u043eet", "po\u200bet", "bard", "__proto__", "constructor"])
  test(`a charter that was locked does not get out by calling itself ${JSON.stringify(name)}`, async () => {
    for (const file of ["poet.ts", "soft.ts", "hard.ts", "./poet.ts"])
      expect(await compared(named(name), file)).toBe(
        `The charter at ${from(file)} is called “${name}”, and was locked as “poet”.`,
      );
  });

for (const [name, like] of [
  ["poet ", "poet"],
  ["POET", "poet"],
  ["p\u043eet", "poet"],
  ["po\u00adet", "poet"],
  ["\ud835\udc29oet", "poet"],
  ["sov\u0435reign", "sovereign"],
  ["assistant\u00a0", "assistant"],
] as const)
  test(`a charter of another file does not pass for a locked one as ${JSON.stringify(name)}`, async () => {
    expect(await compared(named(name, "Bore everyone."), "other.ts")).toBe(
      `“${name}” is not in charter.lock, and looks like “${like}”, which is.`,
    );
  });

for (const name of ["bard", "poetess", "poet2", "поэт", "☃", "constructor", "__proto__"])
  test(`a charter that is called ${name} and was never locked is none of the lock's business`, async () => {
    expect(await compared(named(name), "other.ts")).toBe("as locked, or not locked at all");
  });

test("one of the locked name is compared whatever file it comes from, and one by one in every turn", async () => {
  const changed = "The fixed text of “poet” differs from charter.lock: “law (changed)”.";
  for (const file of ["poet.ts", "other.ts"]) {
    expect(await compared(named("poet"), file)).toBe("as locked, or not locked at all");
    expect(await compared(named("poet", "Bore everyone."), file)).toBe(changed);
  }
  const check = createLockCheck(path);
  await check({ charter: named("poet"), from: from("poet.ts") });
  await expect(check({ charter: named("bard"), from: from("poet.ts") })).rejects.toThrow("was locked as “poet”");
});
