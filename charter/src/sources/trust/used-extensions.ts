import { aPath, checkNeeded, isBoolean } from "../../prompt/argument.ts";
import type { ConsideredFile } from "../disk/considered-file.ts";
import { type Disk, disk as usualDisk } from "../disk/disk.ts";
import { realPath } from "../disk/link.ts";
import { unusedReasons } from "../disk/unused-reason.ts";
import { type ExtensionFiles, extensionFiles, namedExtension } from "./extension-files.ts";

const { join } = process.getBuiltinModule("node:path");

/** Where extensions are looked for, and whether the project is trusted. */
export type ExtensionPlaces = {
  readonly cwd: string;
  readonly home: string;
  readonly config: string;
  readonly trusted: boolean;
  /** Absolute paths of files or directories, named by whoever starts the agent. They are used without trust. */
  readonly named?: readonly string[];
  readonly disk?: Disk;
};

/**
 * Lists the extensions of a coding agent in the order they are loaded, for `loadExtensions`: the project's if it is
 * trusted, the global ones, those that were named. Each file once.
 */
export function usedExtensions(places: ExtensionPlaces): ConsideredFile[] {
  checkNeeded<ExtensionPlaces>("usedExtensions", places, {
    ...{ cwd: aPath, home: aPath, config: aPath },
    trusted: [isBoolean, "Say whether the project is trusted: true or false."],
  });
  const { cwd, home, config, trusted, named = [], disk = usualDisk } = places;
  const seen = new Map<string, string>();

  function consider(
    place: ConsideredFile["place"],
    asked: string,
    { entries, diagnostics }: ExtensionFiles,
  ): ConsideredFile[] {
    const about = { role: "extension", place } as const;
    const not = (path: string, reason: string) => ({ path, ...about, used: false, reason });
    if (place === "named" && entries.length + diagnostics.length === 0) return [not(asked, "it holds no extension")];
    const used = entries.map((path) => {
      if (place === "project" && !trusted) return not(path, unusedReasons.untrusted);
      const real = realPath(disk, path);
      const first = seen.get(real);
      if (first !== undefined)
        return not(path, first === path ? "it is used already" : `it is the same file as ${first}`);
      seen.set(real, path);
      return { path, ...about, used: true };
    });
    return [...used, ...diagnostics.map(({ path, message }) => not(path, message))];
  }

  const folders = { project: join(cwd, config, "extensions"), global: join(home, "extensions") };
  return [
    // Where both are one directory, what is in it is the user's own.
    ...(folders.project === folders.global
      ? []
      : consider("project", folders.project, extensionFiles(folders.project, disk))),
    ...consider("global", folders.global, extensionFiles(folders.global, disk)),
    ...named.flatMap((path) => consider("named", path, namedExtension(path, disk))),
  ];
}
