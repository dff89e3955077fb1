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
  /** Directory whose files are read, with those below it, and no others. */
  readonly directory: string;
  /** Directory of the user's own files; by default the home of this process's user. */
  readonly userHome?: string | undefined;
};

/**
 * Shows coding agents as they would be in a directory, without running anything a project brings. No setting leads out of the
 * directory: being allowed to set an agent up does not mean being allowed to read the machine.
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
    const reason = whyNot({ here, cwd, config });
    if (reason !== undefined) return away(reason);
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

/** The turn as at a terminal: in the machine's time zone, with the usual tools and the agent's own. */
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

/** Reason why a coding agent's files are not read; undefined if they are. */
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
