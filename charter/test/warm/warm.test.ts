import { join } from "node:path";
import { expect, test } from "vitest";
import { bareEnvironment, charterMeanwhile, createFolder } from "../cli.ts";
import type { Job } from "./job.ts";
import { runWarm } from "./warm.ts";

/** A run in a folder of its own that is gone after. */
function run(args: readonly string[], over: Partial<Job> = {}) {
  const folder = createFolder();
  try {
    return runWarm({ cwd: folder.path, args, env: bareEnvironment(), stdin: new Uint8Array(), ...over });
  } finally {
    folder.remove();
  }
}

test("each run has its own words to read, and its own code to end with", () => {
  const show = ["show", "--charter", "assistant", "--input", "-"];
  const standing = (soul: string) => Buffer.from(JSON.stringify({ standing: { soul } }));
  const shown = ["Be brief.", "Be kind."].map((soul) => run(show, { stdin: standing(soul) }));
  expect(shown.map(({ code, stdout }) => [code, stdout.includes("brief."), stdout.includes("kind.")])).toEqual([
    [0, true, false],
    [0, false, true],
  ]);
  expect(run(["nothing"]).code).toBe(2);
  expect(run(["--version"])).toMatchObject({ code: 0, stderr: "" });
});

test("each run has its own environment, and its own folder", () => {
  const folder = createFolder();
  const database = join(folder.path, "own.db");
  const added = ["agents", "add", "ada", "--charter", "assistant"];
  expect(run(added, { env: { ...bareEnvironment(), CHARTER_DATABASE: database } })).toMatchObject({ code: 0 });
  expect(folder.names()).toEqual(["own.db"]);
  const listed = (over: Partial<Job>) => run(["agents", "--json"], over).stdout.includes('"ada"');
  expect(listed({ env: { ...bareEnvironment(), CHARTER_DATABASE: database } })).toBe(true);
  expect(listed({})).toBe(false);
  folder.remove();
});

test("each run reads the code of its folder anew", () => {
  const charter = (words: string) =>
    `export default { name: "cat", layers: [{ name: "a", mutability: "live", sections: [{ name: "a", words: "${words}" }] }] };`;
  const folder = createFolder();
  const shown = ["Purr.", "Hiss."].map((words) => {
    folder.write("cat.ts", charter(words));
    return folder.charter(["show", "--charter", "cat.ts"]).stdout;
  });
  expect(shown).toEqual(["Purr.", "Hiss."]);
  folder.remove();
});

test("runs that are asked for at once come one after the other, and this process goes on meanwhile", async () => {
  const folder = createFolder();
  const names = ["ada", "eve"];
  const adding = names.map((name) =>
    charterMeanwhile(["agents", "add", name, "--charter", "assistant"], { cwd: folder.path }),
  );
  expect((await Promise.all(adding)).map(({ code }) => code)).toEqual([0, 0]);
  const { agents } = folder.charter(["agents", "--json"]).json() as { agents: { name: string }[] };
  expect(agents.map(({ name }) => name)).toEqual(names);
  folder.remove();
});

test("what the command's process has loaded counts as loaded by the test, which runs again when it changes", () => {
  const { __vitest_worker__: worker } = globalThis as unknown as { __vitest_worker__: { dependencies?: Set<string> } };
  const { dependencies: before } = worker;
  const dependencies = new Set<string>();
  worker.dependencies = dependencies;
  expect(run(["show", "--charter", "assistant"]).code).toBe(0);
  if (before === undefined) delete worker.dependencies;
  else worker.dependencies = new Set([...before, ...dependencies]);
  const show = join(import.meta.dirname, "../../src/cli/commands/show.ts");
  expect([dependencies.has(show), [...dependencies].filter((file) => file.includes("/node_modules/"))]).toEqual([
    ...[true, []],
  ]);
});
