import type { Disk } from "../disk/disk.ts";
import { repository } from "../disk/repository.ts";
import { unusedReasons } from "../disk/unused-reason.ts";
import type { SkillRoot } from "./skills.ts";

const { join, resolve } = process.getBuiltinModule("node:path");

type SkillPlaces = {
  readonly disk: Disk;
  readonly cwd: string;
  readonly home: string;
  readonly config: string;
  readonly trusted: boolean;
  readonly userHome?: string;
  readonly named: readonly string[];
};

/** Where skills are looked for; of two with one name the first wins: named ones, the project's, the user's own. */
export function skillRoots(places: SkillPlaces): SkillRoot[] {
  const { disk, cwd, home, config, trusted, userHome, named } = places;
  const own = [join(home, "skills"), ...(userHome === undefined ? [] : [join(userHome, ".agents", "skills")])];
  const project = [
    join(cwd, config, "skills"),
    ...repository(disk, cwd).map((directory) => join(directory, ".agents", "skills")),
  ];
  const withheld = trusted ? {} : { withheld: unusedReasons.untrusted };
  return [
    ...named.map((path): SkillRoot => ({ path: resolve(cwd, path), place: "named", optional: false })),
    // In the user's own directory what is found is the user's, not a project's.
    ...project
      .filter((path) => !own.includes(path))
      .map((path): SkillRoot => ({ path, place: "project", optional: true, ...withheld })),
    ...own.map((path): SkillRoot => ({ path, place: "global", optional: true })),
  ];
}
