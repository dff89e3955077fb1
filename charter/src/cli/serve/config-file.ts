import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { Config } from "../../server/config.ts";
import { existsSync } from "../../sources/input-file.ts";
import { checkConfig } from "./configuration.ts";

const usual = ["charter.config.ts", "charter.config.js", "charter.config.mjs"];

/** The file that was named, else the one that lies here, else nothing. It is code, and is run. */
export async function readConfigFile(named: string | undefined): Promise<Config> {
  const path = named ?? usual.find((name) => existsSync(name));
  if (path === undefined) return {};
  if (!existsSync(path))
    throw new Problem("no-such-file", `There is no configuration file at ${path}.`, "Check the path.");
  const [{ resolve }, { pathToFileURL }, { useSource }] = await Promise.all([
    import("node:path"),
    import("node:url"),
    import("../../../bin/resolve.js"),
  ]);
  useSource();
  let module: { readonly default?: unknown };
  try {
    module = await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(
      "bad-config",
      `The configuration file ${path} could not be loaded: ${reasonOf(error).split("\n")[0]}`,
      "Mend the file; run it with node to see where it fails.",
    );
  }
  if (module.default === undefined)
    throw new Problem("bad-config", `${path} has no default export.`, "Write: export default { port: 4747 };");
  return checkConfig(module.default, path);
}
