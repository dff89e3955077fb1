import { withFiles } from "../agent/bare-declaration.ts";
import { needsFiles } from "../agent/declaration.ts";
import { usualTools } from "../agent/extension/tool-registry.ts";
import { linesOf } from "../agent/toolset.ts";
import { localZone } from "../charters/clock.ts";
import { documentationHere } from "../charters/coder/coder.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { createBoundedMap } from "../prompt/bounds.ts";
import { Problem } from "../prompt/problem.ts";
import { type Notice, type Source, unavailable } from "../prompt/reading.ts";
import { disk, pathLine, userHome } from "../sources/disk/disk.ts";
import { realPath } from "../sources/disk/file.ts";
import { openProject, type Project } from "../sources/project.ts";
import { usedExtensions } from "../sources/trust/extensions.ts";
import { projectTrust } from "../sources/trust/trust.ts";
import type { AgentSnapshot } from "./snapshot.ts";

const { join, relative, resolve, isAbsolute } = process.getBuiltinModule("node:path");

export type CoderSnapshotOptions = {
  /** The one directory whose files are looked at, and those below it. */
  readonly directory: string;
  /** Where the user's own files are; those of this process's user, unless said otherwise. */
  readonly userHome?: string | undefined;
};

/**
 * Coding agents as they would be in a directory, to look at from elsewhere. Nothing that a project or anyone else brings
 * is run for that; and no setting leads out of the directory: whoever may set an agent up need not have the machine.
 */
export function createCoderSnapshot({
  directory,
  userHome: user = userHome(),
}: CoderSnapshotOptions): (one: AgentSnapshot) => Promise<AgentSnapshot> {
  const projects = createBoundedMap<string, Project>(20);
  const projectIn = (places: Places): Project => {
    const key = JSON.stringify(places);
    const project = projects.get(key) ?? openProject(places);
    projects.set(key, project);
    return project;
  };
  return async (looked) => {
    const { agent, declaredTurn } = looked;
    if (!needsFiles(declaredTurn)) return looked;
    const here = directoryAt(directory);
    const cwd = resolve(here, textOf(agent.settings.cwd) ?? ".");
    const config = textOf(agent.settings.config) ?? ".charter";
    const base = { ...declaredTurn, turn: await turnOf(declaredTurn) };
    const filled = ({ system, append, context, skills }: Files) =>
      withFiles(base, { system, append, context, skills, cwd, ...documentationHere() });
    const away = (because: string) => ({ ...looked, declaredTurn: filled(awayFor(because)) });
    if (user === undefined) return away("there is no home directory, where the user's own files are");
    const because = whyNot({ here, cwd, config });
    if (because !== undefined) return away(because);
    const home = join(user, config, "agent");
    const trusted = projectTrust({ cwd, home, config, userHome: user }).trust === "trusted";
    const places = { cwd, home, config, trusted, userHome: user };
    const notices = [...declaredTurn.notices, ...extensionNotices(places)];
    return { ...looked, declaredTurn: { ...filled(projectIn(places)), notices } };
  };
}

type Places = Parameters<typeof openProject>[0];
type Files = Pick<Project, "system" | "append" | "context" | "skills">;

function awayFor(reason: string): Files {
  const away: Source = () => unavailable(reason);
  return { system: away, append: away, context: away, skills: away };
}

/** As at the terminal it works at: in the machine's time, with the usual tools and its own. */
async function turnOf({ turn, tools: own }: DeclaredTurn): Promise<DeclaredTurn["turn"]> {
  const usual = turn.tools.length > 0 ? turn.tools : usualTools.map((name) => ({ name }));
  const tools = [...usual, ...linesOf((await own?.()) ?? [])];
  return { zone: localZone(), ...turn, tools };
}

function textOf(setting: unknown): string | undefined {
  return typeof setting === "string" && setting !== "" ? setting : undefined;
}

function directoryAt(path: string): string {
  try {
    return resolve(path);
  } catch {
    throw new Problem(
      "no-such-directory",
      "The current directory no longer exists.",
      "Start Charter in another directory.",
    );
  }
}

type PlaceQuery = { readonly here: string; readonly cwd: string; readonly config: string };

/** Why a coding agent's files are not looked at. */
function whyNot({ here, cwd, config }: PlaceQuery): string | undefined {
  if (config === "." || config === ".." || /[\\/\0]/.test(config))
    return `its configuration directory is set to “${pathLine(config)}”, which is no name`;
  if (cwd.includes("\0") || !isWithin(realPath(disk, here), realPath(disk, cwd)))
    return `it works in ${pathLine(cwd)}, and only the files of ${pathLine(here)} are looked at here`;
  return undefined;
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith("../") && !way.startsWith("..\\") && !isAbsolute(way));
}

function extensionNotices(places: Pick<Places, "cwd" | "home" | "config" | "trusted">): Notice[] {
  if (!usedExtensions(places).some(({ used }) => used)) return [];
  const message = "Extensions are run where the agent works, not for a look: what they bring is not in this prompt.";
  return [{ code: "extensions-not-run", message }];
}
