import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { reachable } from "../../../scripts/declaration-graph.ts";
import { root } from "../fetched-package.ts";
import { packedTarballs, registryAbsence, runStranger, strangerProject } from "../packed.ts";

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
  const { charter } = await packedTarballs();
  folder = await strangerProject([charter, "typescript-5.4@npm:typescript@5.4.5"]);
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

test.for([
  ["5.4", "node_modules/typescript-5.4/bin/tsc"],
  ["of today", join(root, "node_modules/typescript/bin/tsc")],
])("TypeScript %s compiles every door, and checks each declaration", async ([, tsc], { skip }) => {
  if (absent) return skip(absent);
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck", "false"];
  const { code, output } = await runStranger(process.execPath, [tsc as string, ...options, "doors.ts"], folder);
  expect({ code, output }).toEqual({ code: 0, output: "" });
});
