import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { disk } from "../../../sources/disk/disk.ts";
import { settingsIn } from "../../../sources/trust/trust.ts";
import { readSettings, untrustedProblem } from "./settings-file.ts";

const local = { base: "http://localhost:8000/v1", model: "qwen3" };

function directoryWith(files: Readonly<Record<string, unknown>>): string {
  const directory = mkdtempSync(join(tmpdir(), "charter-settings-"));
  for (const [name, value] of Object.entries(files)) {
    const text = JSON.stringify(value);
    writeFileSync(join(directory, name), name.endsWith(".json") ? text : `export default ${text};`);
  }
  return directory;
}

test("models.json beside the configuration file adds its models", async () => {
  const config = { port: 4750, models: { local } };
  const directory = directoryWith({
    "charter.config.mjs": config,
    "models.json": { $schema: "./models.schema.json", far: local },
  });
  expect(settingsIn(directory, disk)).toEqual(["charter.config.mjs", "models.json"]);
  expect(await readSettings(join(directory, "charter.config.mjs"))).toEqual({
    port: 4750,
    models: { local, far: local },
  });
});

test("a model in both files is told", async () => {
  const directory = directoryWith({ "charter.config.mjs": { models: { local } }, "models.json": { local } });
  const path = join(directory, "charter.config.mjs");
  await expect(readSettings(path)).rejects.toMatchObject({
    code: "bad-config",
    message: `The model “local” is in both ${path} and models.json.`,
  });
});

test("what is wrong in models.json names the file", async () => {
  const directory = directoryWith({ "charter.config.mjs": {}, "models.json": { local: { port: 1 } } });
  await expect(readSettings(join(directory, "charter.config.mjs"))).rejects.toMatchObject({
    code: "bad-config",
    message: expect.stringContaining(`“port” of the model “local” in ${join(directory, "models.json")} is not a`),
  });
});

const refusal = (...changed: string[]) => untrustedProblem([{ file: "charter.config.ts", trust: "changed", changed }]);

test("a refusal names what changed; of what may be data it says where to say so, of a script it does not", () => {
  const { message, hint } = refusal("index.bin", "server.mjs");
  expect([message, hint]).toEqual([
    `“charter.config.ts” in ${resolve(".")} says where words and keys go, and is not used: it is not what it was when it was trusted (changed, new or gone: “index.bin”, “server.mjs”).`,
    "Look at what the directory brings, then say charter trust. If programs write such a file, list it in the setting data of charter.config.ts (docs/files.md#settings).",
  ]);
  const look = "Look at what the directory brings, then say charter trust.";
  expect([refusal("server.mjs").hint, refusal("charter.config.ts").hint]).toEqual([look, look]);
});

test("what names more files than can be compared says so", () => {
  expect(refusal().message).toMatch(/is not used: it names more files than can be compared\.$/);
});
