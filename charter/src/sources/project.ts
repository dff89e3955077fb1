import { aPath, checkNeeded, isBoolean } from "../prompt/argument.ts";
import { grouped } from "../prompt/problem.ts";
import { empty, fromText, type Notice, type Reading, type Source, unavailable } from "../prompt/reading.ts";
import { createContextFiles } from "./context-files.ts";
import { type Disk, isThere, pathLine, disk as realDisk } from "./disk/disk.ts";
import { createFiles, type FileState, type Files, unusedReasonOf, unusedReasons } from "./disk/file.ts";
import {
  type ConsideredFile,
  type Diagnostic,
  type FileFindings,
  type FileLimits,
  fileLimits,
  withDiagnostics,
  withNotices,
} from "./disk/findings.ts";
import { type FileWatcher, type WatchTargets, watchFiles } from "./disk/watch.ts";
import type { Skill } from "./skills/skill.ts";
import { createSkills, type SkillListing, skillRoots, skillsReading } from "./skills/skills.ts";
import { gatedIn } from "./trust/trust.ts";

const { join, resolve } = process.getBuiltinModule("node:path");

/** Options of `openProject`: the directories, and whether the project is trusted. */
export type ProjectOptions = {
  /** Working directory. */
  readonly cwd: string;
  /** Global agent directory, such as ~/.charter/agent. */
  readonly home: string;
  /** Name of the project's configuration directory: .charter, .sf, .pi. */
  readonly config: string;
  /** Allows the project's SYSTEM.md, APPEND_SYSTEM.md and skills. Its context files are always used. */
  readonly trusted: boolean;
  /** Directory that contains .agents/skills; by default none. */
  readonly userHome?: string;
  /** Paths of further skills and folders of skills. */
  readonly skillPaths?: () => readonly string[];
  readonly disk?: Disk;
  readonly now?: () => number;
  readonly limits?: Partial<FileLimits>;
};

/** Prompt files of a directory, as sources. Reading costs a stat for each file; changed files are read again. */
export type Project = {
  readonly system: Source;
  readonly append: Source;
  readonly context: Source;
  readonly skills: Source;
  /** Searches again, and returns the files that were considered and their faults. */
  readonly look: () => ProjectFindings;
  /** Forgets everything, so that it is read again. */
  readonly forget: () => void;
  /** Calls back with the paths that changed. Nothing depends on it: each turn checks by itself. */
  readonly watch: (changed: (paths: readonly string[]) => void) => FileWatcher;
};

/** Files that were considered, their faults, and the skills. */
export type ProjectFindings = {
  readonly considered: readonly ConsideredFile[];
  readonly diagnostics: readonly Diagnostic[];
  readonly skills: readonly Skill[];
};

/** Opens the prompt files of a directory: SYSTEM.md, APPEND_SYSTEM.md, AGENTS.md and CLAUDE.md files, and skills. */
export function openProject(options: ProjectOptions): Project {
  checkNeeded<ProjectOptions>("openProject", options, {
    ...{ cwd: aPath, home: aPath, config: aPath },
    trusted: [isBoolean, "Say whether the project is trusted: true or false."],
  });
  const { config, trusted, skillPaths = () => [], disk = realDisk, now = Date.now } = options;
  const [cwd, home] = [resolve(options.cwd), resolve(options.home)];
  const userHome = options.userHome === undefined ? undefined : resolve(options.userHome);
  const limits = { ...fileLimits, ...options.limits };
  const files = createFiles(disk, now);
  const finder = createSkills({ disk, files, now });

  const systemFile = (role: "system" | "append", name: string) => {
    const own: SystemFilePlace = { path: join(home, name), place: "global" };
    const withheld = trusted ? {} : { withheld: unusedReasons.untrusted };
    const ofProject: SystemFilePlace = { path: join(cwd, config, name), place: "project", ...withheld };
    return createSystemFile({
      disk,
      files,
      limits,
      role,
      places: ofProject.path === own.path ? [own] : [ofProject, own],
    });
  };
  const system = systemFile("system", "SYSTEM.md");
  const append = systemFile("append", "APPEND_SYSTEM.md");
  const context = createContextFiles({ disk, files, limits, cwd, home, userHome, trusted });

  const roots = () =>
    skillRoots({
      disk,
      cwd,
      home,
      config,
      trusted,
      named: skillPaths(),
      ...(userHome === undefined ? {} : { userHome }),
    });
  const toldSkills = keepLast((found: SkillListing): FileFindings => {
    const reading = withDiagnostics(skillsReading(found.skills), found.diagnostics, limits.notices);
    return { reading, considered: found.considered, diagnostics: found.diagnostics };
  });
  const findSkills = () => finder.look(roots());

  // The notice about trust appears once, with the first source, and covers everything that was left out.
  const toldSystem = keepLast(
    (own: FileFindings, appended: FileFindings, skills: SkillListing, extensions: boolean): Reading => {
      const notice = untrustedNotice(
        [...own.considered, ...appended.considered, ...skills.considered],
        extensions,
        config,
      );
      return withNotices(own.reading, notice ? [notice] : []);
    },
  );
  const hasExtensions = () => gatedIn({ cwd, config, home }, disk).includes(join(cwd, config, "extensions"));

  const look = (): ProjectFindings => {
    const skills = findSkills();
    const looks = [system(), append(), context(), toldSkills(skills)];
    return {
      considered: looks.flatMap(({ considered }) => considered),
      diagnostics: looks.flatMap(({ diagnostics }) => diagnostics),
      skills: skills.skills,
    };
  };

  return {
    system: () => (trusted ? system().reading : toldSystem(system(), append(), findSkills(), hasExtensions())),
    append: () => append().reading,
    context: () => context().reading,
    skills: () => toldSkills(findSkills()).reading,
    look,
    forget: () => {
      files.forget();
      finder.forget();
    },
    watch: (onChange) =>
      watchFiles({
        disk,
        onChange,
        targets: () =>
          watchedOf(
            look(),
            roots().map(({ path }) => path),
          ),
      }),
  };
}

/** Paths to watch. Skills are watched as folders or by the path that was named, so their files are left out. */
function watchedOf({ considered }: ProjectFindings, folders: readonly string[]): WatchTargets {
  return { files: considered.filter(({ role }) => role !== "skill").map(({ path }) => path), folders };
}

/** Makes a function that returns its last result as long as its arguments are the same. */
function keepLast<Given extends readonly unknown[], Made>(make: (...given: Given) => Made): (...given: Given) => Made {
  let last: { readonly given: Given; readonly made: Made } | undefined;
  return (...given) => {
    if (!last?.given.every((one, index) => one === given[index])) last = { given, made: make(...given) };
    return last.made;
  };
}

/** Notice about everything a project brings that is not trusted. */
export function untrustedNotice(
  considered: readonly ConsideredFile[],
  extensions: boolean,
  config = ".charter",
): Notice | undefined {
  const withheld = considered.filter((one) => one.reason === unusedReasons.untrusted);
  if (withheld.length === 0 && !extensions) return undefined;
  const files = withheld.filter(({ role }) => role !== "skill").map(({ path }) => pathLine(path));
  const skills = withheld.length - files.length;
  const skillsOfIt = skills === 0 ? [] : [skills === 1 ? "1 skill" : `${grouped(skills)} skills`];
  const what = [...files, ...skillsOfIt, ...(extensions ? ["its extensions"] : [])];
  // Trust is stored for each name of the configuration directory.
  const command = config === ".charter" ? "charter trust" : `charter trust --config ${pathLine(config)}`;
  return {
    code: "untrusted",
    message: `The project is not trusted, so the prompt was built without ${listOf(what)}. Look at what it brings, then run “${command}”.`,
  };
}

function listOf(what: readonly string[]): string {
  return what.length < 2 ? what.join("") : `${what.slice(0, -1).join(", ")} and ${what.at(-1)}`;
}

type SystemFileOptions = {
  readonly disk: Disk;
  readonly files: Files;
  readonly limits: FileLimits;
  readonly role: "system" | "append";
  /** Places in the order they are searched. `withheld`: why one is not read. */
  readonly places: readonly SystemFilePlace[];
};
export type SystemFilePlace = {
  readonly path: string;
  readonly place: ConsideredFile["place"];
  readonly withheld?: string;
};

/** A place that was searched: the file's state, or the reason why it was not read. */
type SystemFileCandidate = SystemFilePlace & { readonly state: FileState | string };

/**
 * Finds SYSTEM.md or APPEND_SYSTEM.md: the first that exists and has text.
 *
 * An unreadable file stops the search, and so does a directory or a broken link of that name: its author meant this agent to have
 * another text than the next file's or the default, and no text is better than a wrong one.
 */
export function createSystemFile(options: SystemFileOptions): () => FileFindings {
  let last: { readonly found: readonly SystemFileCandidate[]; readonly look: FileFindings } | undefined;
  return () => {
    const candidates = search(options);
    if (!last || candidates.some(({ state }, index) => state !== last?.found[index]?.state))
      last = { found: candidates, look: lookOf(candidates, options) };
    return last.look;
  };
}

function search({ disk, files, limits, places }: SystemFileOptions): SystemFileCandidate[] {
  let standing: string | undefined;
  return places.map((place) => {
    const { path, withheld } = place;
    const reason = withheld ?? (standing && unusedReasons.insteadOf(pathLine(standing)));
    if (reason !== undefined) return { ...place, state: isThere(disk, path) ? reason : unusedReasons.absent };
    const state = files.read(path, limits.system);
    if (state.status !== "empty" && !(state.status === "missing" && state.diagnostics.length === 0)) standing = path;
    return { ...place, state };
  });
}

function lookOf(found: readonly SystemFileCandidate[], { limits, role }: SystemFileOptions): FileFindings {
  let reading: Reading = empty;
  const diagnostics: Diagnostic[] = [];
  const considered = found.map(({ path, place, state }): ConsideredFile => {
    const about = { path, role, place };
    if (typeof state === "string") return { ...about, used: false, reason: state };
    const faults = [...state.diagnostics];
    if (state.status === "present" && state.more > 0) faults.push(tooLarge(path, limits));
    const text = state.status === "present" && state.more === 0 ? state.text : undefined;
    // A fault of a file that stops the search is an error, since it keeps the file out.
    const severity = text === undefined && state.status !== "empty" ? { severity: "error" as const } : {};
    diagnostics.push(...faults.map((one) => ({ ...one, ...severity })));
    if (text !== undefined) {
      reading = fromText(text, { kind: "file", id: path, source: path });
      return { ...about, used: true, text };
    }
    if (faults.length > 0 && state.status !== "empty")
      reading = unavailable(faults.map(({ message }) => message).join(" "));
    return { ...about, used: false, reason: state.status === "present" ? "it is too large" : unusedReasonOf(state) };
  });
  return { reading: withDiagnostics(reading, diagnostics, limits.notices), considered, diagnostics };
}

function tooLarge(path: string, { system }: FileLimits): Diagnostic {
  const message = `${pathLine(path)} has more than ${grouped(system)} bytes, and a system prompt is never cut. Shorten it.`;
  return { severity: "error", code: "too-large", path, message };
}
