import { importFile } from "../../host/import-file.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Config } from "../../server/config.ts";
import { existsSync } from "../../sources/input-file.ts";
import { checkConfig } from "./configuration.ts";

const usual = ["charter.config.ts", "charter.config.js", "charter.config.mjs"];

/** The configuration file that lies in a directory. */
export function configFileIn(directory: string): string | undefined {
  return usual.find((name) => existsSync(directory === "." ? name : `${directory}/${name}`));
}

/** The file that was named, else the one that lies here, else nothing. It is code, and is run. */
export async function readConfigFile(named: string | undefined): Promise<Config> {
  const path = named ?? configFileIn(".");
  if (path === undefined) return {};
  const module = await importFile(path, { what: "configuration file", code: "bad-config" });
  if (module.default === undefined)
    throw new Problem("bad-config", `${path} has no default export.`, "Write: export default { port: 4747 };");
  return checkConfig(module.default, path);
}
