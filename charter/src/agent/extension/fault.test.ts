import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { type ExtensionFault, eventNames, faultCodes } from "./extension.ts";
import { loadExtensions } from "./extensions.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../../../docs/extensions.md"), "utf8");
const listed = (from: string) =>
  [...(page.split(`\n## ${from}\n`)[1]?.split("\n## ")[0] ?? "").matchAll(/^\| `([\w-]+)` \|/gm)].map(
    (found) => found[1],
  );

test("every fault has its line in docs/extensions.md, none is left over, and each can happen", () => {
  expect(listed("Faults")).toEqual([...faultCodes]);
  const sources = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "fault.ts")
    .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
    .join("\n");
  expect(faultCodes.filter((code) => !sources.includes(`"${code}"`))).toEqual([]);
});

test("every event has its line", () => {
  expect(listed("Events")).toEqual([...eventNames]);
});

test("the page's example is loaded as it stands", async () => {
  const folder = mkdtempSync(join(tmpdir(), "charter-page-"));
  const faults: ExtensionFault[] = [];
  writeFileSync(join(folder, "example.ts"), /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? "");
  const options = {
    paths: ["example.ts"],
    cwd: folder,
    builtIn: [],
    report: (one: ExtensionFault) => faults.push(one),
  };
  const { loaded } = await loadExtensions(options, "startup");
  rmSync(folder, { recursive: true });
  expect(faults).toEqual([]);
  expect(loaded).toEqual([
    { path: "example.ts", tools: ["changed_files"], events: ["tool_call", "before_agent_start"] },
  ]);
});
