import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("a Node that is too old is a Problem: one without SQLite, and one from before 2024", async () => {
  const source = (path: string) => JSON.stringify(resolve(import.meta.dirname, "../src", path));
  const script = `
    delete Map.groupBy;
    const { assemble } = await import(${source("index.ts")});
    const { createStore, sqlite } = await import(${source("store/index.ts")});
    const told = ({ code, message, hint }) => console.log([code, message, hint].join("\\n"));
    await createStore(sqlite(":memory:")).catch(told);
    try { assemble({ name: "a", layers: [{ name: "l", mutability: "fixed", sections: [{ name: "s", words: "x" }] }] }, {}); } catch (error) { told(error); }
  `;
  const words = ["--no-experimental-sqlite", "--input-type=module", "-e", script];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  expect(stdout.trim().split("\n")).toEqual([
    "node-too-old",
    `Node ${process.versions.node} has no SQLite.`,
    "Use Node 22.18 or newer.",
    "node-too-old",
    "This JavaScript engine is too old.",
    "Use Node 22.18 or newer, or a browser of 2024 or newer.",
  ]);
});
