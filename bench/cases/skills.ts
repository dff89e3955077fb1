import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { disk } from "../../charter/src/sources/disk/disk.ts";
import { createFiles } from "../../charter/src/sources/disk/file.ts";
import { createSkills, type SkillRoot } from "../../charter/src/sources/skills/skills.ts";
import type { LoadSkills, Peers } from "../peers.ts";
import type { Report, Row } from "../report.ts";
import { type Contender, inRounds, ratioOf, timeOf } from "../rounds.ts";
import { writeSkills } from "../workloads/skill-trees.ts";

/** Finding the skills of a folder: for the first time, and again when nothing changed; beside reading the same files. */
export async function skills(peers: Peers, rounds: number, quick: boolean): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-skills-"));
  const [fewest = 100, ...more] = quick ? [100, 1000] : [100, 1000, 5000];
  const sizes = [fewest, ...more];
  try {
    for (const size of sizes) writeSkills(join(folder, `${size}`), size);
    // What was written a moment ago is not believed to be the same.
    await setTimeout(100);
    const at = (size: number) => join(folder, `${size}`);
    const wrong = sizes.flatMap((size) => differences(at(size), size, peers.loadSkills));
    const times = await inRounds(
      [
        ...sizes.flatMap((size) => contenders(at(size), size)),
        ...(peers.loadSkills ? [piContender(at(fewest), fewest, peers.loadSkills)] : []),
      ],
      rounds,
    );
    const row = (what: string, name: string, of: string, base: string, target?: number): Row => ({
      case: "skills",
      what,
      time: timeOf(times, name),
      ratio: { ...ratioOf(times, name, base), of },
      ...(target === undefined ? {} : { target }),
    });
    const floor = `floor ${fewest}`;
    return {
      title: `Skills  a folder of ${fewest} skills, bodies of 2 to 8 KB`,
      about: "floor = readdir of every directory and the text of every SKILL.md; all times are for one skill",
      rows: [
        { case: "skills", what: "floor", time: timeOf(times, floor) },
        row("Charter, again, nothing changed", `warm ${fewest}`, "floor", floor, 0.25),
        row("Charter, for the first time", `cold ${fewest}`, "floor", floor, 1.5),
        peers.loadSkills
          ? row("pi 0.57.1 loadSkills", "pi", "floor", floor)
          : { case: "skills", what: "pi 0.57.1 loadSkills", note: `absent: ${peers.absent}` },
        ...more.flatMap((size) => [
          row(`floor, ${size} skills`, `floor ${size}`, `${fewest}`, floor),
          row(`Charter, again, ${size} skills`, `warm ${size}`, `${fewest}`, `warm ${fewest}`, 1.5),
          row(`Charter, first time, ${size} skills`, `cold ${size}`, `${fewest}`, `cold ${fewest}`, 1.5),
        ]),
      ],
      wrong,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const rootsOf = (path: string): SkillRoot[] => [{ path, place: "named", optional: false }];

function create() {
  return createSkills({ disk, files: createFiles(disk, Date.now) });
}

function contenders(path: string, size: number): Contender[] {
  // So that a round is no shorter than a millisecond, which is long enough for the clock.
  const times = Math.max(1, Math.round(500 / size));
  const repeated = (work: () => unknown) => Array.from({ length: times }, () => work);
  const known = create();
  known.look(rootsOf(path));
  return [
    { name: `floor ${size}`, units: size * times, prepare: () => repeated(() => readAll(path)) },
    { name: `warm ${size}`, units: size * times, prepare: () => repeated(() => known.look(rootsOf(path))) },
    { name: `cold ${size}`, units: size * times, prepare: () => repeated(() => create().look(rootsOf(path))) },
  ];
}

/** What nobody can do without who reads them all. */
function readAll(path: string): number {
  let length = 0;
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) length += readAll(`${path}/${entry.name}`);
    else if (entry.name === "SKILL.md") length += readFileSync(`${path}/${entry.name}`, "utf8").length;
  return length;
}

function piContender(path: string, size: number, loadSkills: LoadSkills): Contender {
  return { name: "pi", units: size, prepare: () => [() => piSkills(path, loadSkills)] };
}

function piSkills(path: string, loadSkills: LoadSkills) {
  return loadSkills({ cwd: path, agentDir: path, skillPaths: [path], includeDefaults: false }).skills;
}

/** Every skill is found, without a complaint; and pi reads the same out of it. */
function differences(path: string, size: number, loadSkills: LoadSkills | undefined): string[] {
  const finder = create();
  const found = finder.look(rootsOf(path));
  const faults: string[] = [];
  if (found.skills.length !== size) faults.push(`${found.skills.length} of ${size} skills were found.`);
  if (found.diagnostics.length > 0) faults.push(`${size} skills: ${found.diagnostics[0]?.message}`);
  if (finder.look(rootsOf(path)) !== found) faults.push(`${size} skills: nothing changed, and they were found anew.`);
  if (!loadSkills) return faults;
  const theirs = new Map(piSkills(path, loadSkills).map((skill) => [skill.name, skill]));
  const differs = found.skills.find(({ name, description, location }) => {
    const other = theirs.get(name);
    return other?.description.trim() !== description || other.filePath !== location;
  });
  if (differs || theirs.size !== size) faults.push(`${size} skills: pi reads “${differs?.name}” otherwise.`);
  return faults;
}
