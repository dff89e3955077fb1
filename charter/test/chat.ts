import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { sqlite } from "../src/store/home/sqlite/sqlite.ts";
import { createStore, type Store } from "../src/store/store.ts";
import { createFolder, type Folder } from "./cli.ts";

/** Conversations through the real command, in a pipe, with nobody behind them but the stand-in. */

export type Talked = {
  readonly code: number | null;
  /** What stands on standard output: the answers, each without the stand-in's label. */
  readonly answers: readonly string[];
  /** What was told besides, with ids and times made alike. */
  readonly told: readonly string[];
};

export function talk(folder: Folder, lines: readonly string[], ...args: readonly string[]): Talked {
  const { code, stdout, stderr } = folder.charter(["chat", ...args], lines.map((line) => `${line}\n`).join(""));
  const answers = stdout.split(/^\(stand-in model\)\s/m).slice(1);
  expect(stdout === "" || stdout.startsWith("(stand-in model)")).toBe(true);
  const alike = stderr.replace(/\b0[0-9a-z]{16}\b/g, "‹id›").replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "‹time›");
  return { code, answers: answers.map((answer) => answer.trimEnd()), told: alike.trimEnd().split("\n") };
}

export const isBullets = (answer = "") => answer.split("\n").every((line) => /^(?:- | {2})/.test(line));

/** The store behind the command, for what no command does. */
export async function inStore<Result>(folder: Folder, work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await createStore(sqlite(join(folder.path, ".charter/charter.db"), { create: true }));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** A folder that is gone when the file's tests are over. */
export function newFolder(): Folder {
  const folder = createFolder();
  afterAll(folder.remove);
  return folder;
}

export const bo = ["--user", "bo"];
