import type { Declaration } from "../../agent/declaration.ts";
import { quietTurn } from "../../amend/guard.ts";
import { localZone } from "../../charters/clock.ts";
import { documentationHere } from "../../charters/coder/coder.ts";
import type { DeclaredTurn } from "../../charters/declared-turn.ts";
import { openWorkbench, type Workbench, type WorkbenchOptions } from "../../host/workbench.ts";
import type { DirectoryValues, PlaceValues } from "../../operations/field.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Notice, ToolLine } from "../../prompt/reading.ts";
import { hideSecretKeys } from "../../sources/core-memory/key-source.ts";
import { pathLine, userHome } from "../../sources/disk/disk.ts";
import { type ProjectPlaces, projectTrust } from "../../sources/trust/trust.ts";

const { statSync } = process.getBuiltinModule("node:fs");
const { isAbsolute, join, resolve } = process.getBuiltinModule("node:path");

/** Directories of a coding agent: where it works, and where its files for every project are. */
export function placesOf({ cwd = ".", home, config = ".charter" }: PlaceValues): ProjectPlaces {
  for (const [name, value] of Object.entries({ cwd, home })) if (value !== undefined) checkPath(name, value);
  if (config === "" || config === "." || config === ".." || /[\\/]|\.[cm]?[jt]s$/.test(config))
    throw new Problem(
      "usage",
      `--config is “${config}”, which is no directory's name.`,
      "Give a name, as in .charter, .sf or .pi. A settings file is named with --settings.",
    );
  const directory = directoryAt(cwd);
  if (!isDirectory(directory))
    throw new Problem("no-such-directory", `There is no directory at ${directory}.`, "Check the path.");
  return { cwd: directory, home: home === undefined ? usualHome(config) : resolve(home), config };
}

/** Refuses empty paths: they would mean the current directory, and the project's files would count as the user's own. */
function checkPath(option: string, path: string): void {
  if (path === "") throw new Problem("usage", `--${option} is empty.`, "Give a path, or leave it out.");
}

function usualHome(config: string): string {
  const user = userHome();
  if (user !== undefined) return join(user, config, "agent");
  const message = `There is no home directory: HOME is “${process.env.HOME ?? ""}”, which is no absolute path.`;
  throw new Problem("usage", message, "Set HOME, or name the global agent directory with --home.");
}

function directoryAt(path: string): string {
  try {
    return resolve(path);
  } catch {
    throw new Problem("no-such-directory", "The current directory no longer exists.", "Change to another directory.");
  }
}

/** Checks whether the project is trusted: by the option, else as stored. */
export function isTrusted(values: DirectoryValues, places: ProjectPlaces): boolean {
  return values.trust ?? projectTrust(places).trust === "trusted";
}

/** Notices why a project that was trusted is not any more. */
export function trustNotices(values: DirectoryValues, places: ProjectPlaces): Notice[] {
  if (values.trust !== undefined) return [];
  const { trust, root, changed, reason } = projectTrust(places);
  const files = changed.map(pathLine).join(", ");
  if (trust === "changed")
    return [
      {
        code: "trust-changed",
        message: `The extensions of ${pathLine(root)} are not those that were trusted (${files}). Look at them, then run “${trustCommand(values)}”.`,
      },
    ];
  return reason === undefined ? [] : [{ code: "trust-unreadable", message: reason }];
}

/** Command that decides about trust in the directory of these options, ready to be typed. */
export function trustCommand({ cwd, home, config }: PlaceValues, option?: "--remove"): string {
  const optionWords = (name: string, value: string | undefined) =>
    value === undefined ? [] : [name, shellWord(value)];
  const directory = cwd === undefined ? [] : [shellWord(cwd)];
  const words = ["charter trust", ...(option ? [option] : []), ...directory];
  return [...words, ...optionWords("--home", home), ...optionWords("--config", config)].join(" ");
}

function shellWord(path: string): string {
  return /^[\w./~@%+=:,-]+$/.test(path) ? path : `'${pathLine(path).replaceAll("'", "'\\''")}'`;
}

/** Hint about untrusted parts of a project; undefined if the option decided. */
export function trustHint(values: DirectoryValues, places: ProjectPlaces): string | undefined {
  if (values.trust !== undefined) return undefined;
  const [changed] = trustNotices(values, places);
  return changed?.message ?? `Look at what the project brings, then run “${trustCommand(values)}”.`;
}

export type DirectoryMore = Pick<
  Partial<WorkbenchOptions>,
  "trusted" | "protected" | "limits" | "declaration" | "files"
>;

/** Opens the workbench of the directory that the options name. */
export function workbenchOf(
  values: DirectoryValues,
  { trusted, protected: protectedPaths, limits, declaration, files }: DirectoryMore = {},
): Workbench {
  const places = placesOf(values);
  const pathsOf = (option: "skill" | "extension" | "allow") =>
    (values[option] ?? []).map((path) => {
      checkPath(option, path);
      return isAbsolute(path) ? path : resolve(path);
    });
  const user = userHome();
  keepAnswerWhole();
  // Secret keys are removed first: extensions run in this process, and processes they start inherit its environment.
  hideSecretKeys();
  return openWorkbench({
    ...places,
    trusted: trusted ?? (() => isTrusted(values, places)),
    ...(user === undefined ? {} : { userHome: user }),
    skills: pathsOf("skill"),
    extensions: pathsOf("extension"),
    allowed: pathsOf("allow"),
    protected: protectedPaths ?? [],
    limits: limits ?? {},
    declaration,
    ...(files === undefined ? {} : { files }),
    ...(values.tools === undefined ? {} : { tools: toolNames(values.tools) }),
    ...documentationHere(),
  });
}

/** Redirects what extensions print to standard error, so that standard output holds the answer alone. */
function keepAnswerWhole(): void {
  const { error } = console;
  Object.assign(console, { log: error, info: error, debug: error, dir: error });
}

function toolNames(words: string): string[] {
  return words.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Declares the next turn of an agent that needs files, in that directory. */
export async function givenOfDirectory(values: DirectoryValues, declaration: Declaration): Promise<DeclaredTurn> {
  const workbench = workbenchOf(values, { declaration });
  const turn = declaredTurnNow(workbench.base, localZone(), await workbench.lines());
  const notices = [...(workbench.trusted ? [] : trustNotices(values, placesOf(values))), ...workbench.faults()];
  workbench.close();
  return { ...turn, notices };
}

function declaredTurnNow(declaration: Declaration, zone: string, tools: readonly ToolLine[] = []): DeclaredTurn {
  const turn = { now: new Date().toISOString(), zone, tools, standing: {} };
  return { ...declaration, turn, turnFacts: quietTurn, notices: [] };
}
