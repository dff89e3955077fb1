import { importFile } from "../../host/import-file.ts";
import { isRecord } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Config } from "../../server/config.ts";
import { disk } from "../../sources/disk/disk.ts";
import { realPath } from "../../sources/disk/link.ts";
import { existsSync, readJson } from "../../sources/input-file.ts";
import { configFileIn, modelsFile } from "../../sources/trust/settings-files.ts";
import { checkConfig, checkTable } from "./configuration.ts";

const { dirname, join } = process.getBuiltinModule("node:path");

/** What files said when they were trusted, by their real paths: one that says another thing by now is not used. */
type TrustedDigests = ReadonlyMap<string, string>;

/**
 * The settings of whoever runs a command: the configuration file that was named, else the one that lies here, and
 * `models.json` beside it. Every command reads them with this, and with nothing else. The first is code, and is run.
 */
export async function readSettings(named: string | undefined, digests?: TrustedDigests): Promise<Config> {
  const path = named ?? configFileIn(".", disk);
  const config = path === undefined ? {} : await readConfigFile(path, digests);
  const models = readModelsFile(join(path === undefined ? "." : dirname(path), modelsFile), digests);
  if (models === undefined) return config;
  const twice = Object.keys(models).find((name) => Object.hasOwn(config.models ?? {}, name));
  if (twice !== undefined)
    throw new Problem(
      "bad-config",
      `The model “${twice}” is in both ${path} and ${modelsFile}.`,
      "Take it out of one of them.",
    );
  return { ...config, models: { ...config.models, ...models } };
}

async function readConfigFile(path: string, digests?: TrustedDigests): Promise<Config> {
  const options = { what: "configuration file", code: "bad-config" };
  const module = await importFile(path, digests ? { ...options, digests } : options);
  if (module.default === undefined)
    throw new Problem("bad-config", `${path} has no default export.`, "Write: export default { port: 4747 };");
  return checkConfig(module.default, path);
}

/** `$schema` in it is for editors. */
function readModelsFile(path: string, digests?: TrustedDigests): Config["models"] {
  if (!existsSync(path)) return undefined;
  const value = readJson(path, "list of models", digests && (digests.get(realPath(disk, path)) ?? "none"));
  if (!isRecord(value)) return checkTable(value, path);
  const { $schema: _schema, ...models } = value;
  return checkTable(models, path);
}
