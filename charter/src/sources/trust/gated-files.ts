import { type Disk, isThere } from "../disk/disk.ts";
import { codeOf, isAbsence } from "../disk/file.ts";
import { repository } from "../disk/repository.ts";
import { settingsIn } from "./settings-files.ts";

const { join, resolve } = process.getBuiltinModule("node:path");

type GatedOptions = {
  readonly cwd: string;
  readonly config: string;
  /** What is in there is the user's own, wherever the project is. */
  readonly home?: string;
  /** So are its .agents/skills. */
  readonly userHome?: string;
  /** The charters' files that its agents have. */
  readonly charters?: readonly string[];
};

/**
 * What a project brings that speaks with the operator's voice, says where words and keys go, or runs as code: used only
 * when the project is trusted. Those that are there, in the order of the prompt.
 */
export function gatedIn({ cwd, config, home, userHome, charters = [] }: GatedOptions, disk: Disk): string[] {
  const own = resolve(cwd, config);
  const brought = own !== home;
  const shared = repository(disk, resolve(cwd)).filter((directory) => directory !== userHome);
  const files = brought ? [join(own, "SYSTEM.md"), join(own, "APPEND_SYSTEM.md")] : [];
  const folders = [
    ...(brought ? [join(own, "skills")] : []),
    ...shared.map((directory) => join(directory, ".agents", "skills")),
    ...(brought ? [join(own, "extensions")] : []),
  ];
  return [
    ...files.filter((path) => isThere(disk, path)),
    ...folders.filter((path) => holdsSomething(path, disk)),
    ...charters.map((file) => resolve(cwd, file)).filter((path) => isThere(disk, path)),
    ...settingsIn(resolve(cwd), disk).map((name) => join(resolve(cwd), name)),
  ];
}

/** A directory with anything in it that is not hidden; one that cannot be looked into may hold something. */
function holdsSomething(path: string, disk: Disk): boolean {
  try {
    return disk.readdirSync(path).some((name) => !name.startsWith("."));
  } catch (error) {
    return !isAbsence(error) && codeOf(error) !== "ELOOP";
  }
}
