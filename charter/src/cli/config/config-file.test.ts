import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { disk } from "../../sources/disk/disk.ts";
import { settingsIn } from "../../sources/trust/settings-files.ts";
import { readSettings } from "./config-file.ts";

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
