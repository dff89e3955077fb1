import { type Disk, isThere } from "../disk/disk.ts";
import { createFiles } from "../disk/file.ts";

const { join } = process.getBuiltinModule("node:path");

/** Models of one's own, for those who write no TypeScript. */
export const modelsFile = "models.json";

const configNames = ["charter.config.ts", "charter.config.js", "charter.config.mjs"];

/** So much of a .env is looked at to see what it is for. */
const mostLooked = 1_048_576;

/** The configuration file of a directory, by its name: the first there is. It is code. */
export function configFileIn(directory: string, disk: Disk): string | undefined {
  return configNames.find((name) => isThere(disk, join(directory, name)));
}

/**
 * The files of a directory that say where words and keys go, by their names: its configuration, its models, its
 * environment. A .env alone is one only if it sets a variable that Charter reads: others are for other programs.
 */
export function settingsIn(directory: string, disk: Disk): string[] {
  const config = configFileIn(directory, disk);
  const named = [...(config ? [config] : []), ...(isThere(disk, join(directory, modelsFile)) ? [modelsFile] : [])];
  const env = join(directory, ".env");
  if (!isThere(disk, env)) return named;
  return named.length > 0 || setsOurs(env, disk) ? [...named, ".env"] : [];
}

/** One that cannot be read may set them. */
function setsOurs(path: string, disk: Disk): boolean {
  const state = createFiles(disk, () => 0).read(path, mostLooked);
  if (state.status === "unavailable") return true;
  if (state.status !== "present") return false;
  return state.more > 0 || Object.keys(process.getBuiltinModule("node:util").parseEnv(state.text)).some(isOurs);
}

/** Does Charter read this variable: a key or an address of a provider, or a setting of its own? */
function isOurs(variable: string): boolean {
  return /^(?:CHARTER|TELEGRAM)_|_(?:API_KEY|BASE_URL)$/.test(variable);
}
