import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { reachable } from "../../../scripts/declaration-graph.ts";
import { fetchedPackage, root } from "../fetched-package.ts";
import { libraryProject, registryAbsence, runStranger } from "../packed.ts";

/** The types of every door, for someone who has `charter` and what it brings: no types of Node, nothing of the service. */

type Manifest = {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
};
const { dependencies, exports: doors }: Manifest = JSON.parse(readFileSync(join(root, "charter/package.json"), "utf8"));

let folder: string;
const absent = await registryAbsence();
beforeAll(async () => {
  if (absent !== undefined) return;
  folder = await libraryProject();
  const names = Object.keys(doors).map((door) => `charter${door.slice(1)}`);
  const lines = names.map((name, index) => `import * as door${index} from "${name}";`);
  const all = `export const doors = [${names.map((_, index) => `door${index}`).join(", ")}];`;
  writeFileSync(join(folder, "doors.ts"), `${lines.join("\n")}\n${all}\n`);
}, 1_800_000);

test("the declarations of the doors name no package but charter's own dependencies", ({ skip }) => {
  if (absent) return skip(absent);
  const home = join(folder, "node_modules/charter");
  const { files, packages } = reachable(
    Object.values(doors).map(({ types }) => join(home, types)),
    (file) => readFileSync(file, "utf8"),
    (from, to) => resolve(dirname(from), to),
  );
  expect(files.size).toBeGreaterThan(100);
  const known = new Set(Object.keys(dependencies));
  expect([...packages].filter(([name]) => !known.has(name))).toEqual([]);
});

const oldest = {
  name: "typescript",
  version: "5.4.5",
  integrity: "vcI4UpRgg81oIRUFwR0WSIHKt11nJ7SAVlYNIu+QpqeyXP+gpQJy/Z4+F0aGxSE4MqwjyXvW/TzgkLAx2AGHwQ==",
};

test.for([
  ["5.4", () => fetchedPackage(oldest)],
  ["of today", async () => join(root, "node_modules/typescript")],
] as const)("TypeScript %s compiles every door, and checks each declaration", async ([, typescript], { skip }) => {
  if (absent) return skip(absent);
  const tsc = join(await typescript(), "bin/tsc");
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck", "false"];
  const { code, output } = await runStranger(process.execPath, [tsc, ...options, "doors.ts"], folder);
  expect({ code, output }).toEqual({ code: 0, output: "" });
});
