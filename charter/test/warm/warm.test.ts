import { join } from "node:path";
import { expect, test } from "vitest";
import { bareEnvironment, createFolder } from "../cli.ts";
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
