import { withFiles } from "../agent/bare-declaration.ts";
import type { Declaration, DirectoryFiles } from "../agent/declaration.ts";
import { faultText } from "../agent/extension/extension.ts";
import { createExtensionLoader } from "../agent/extension/extension-loader.ts";
import type { Extensions } from "../agent/extension/extensions.ts";
import { usualTools } from "../agent/extension/tool-registry.ts";
import type { WorkspaceLimits } from "../agent/workspace/limits.ts";
import type { FileAccess } from "../agent/workspace/workspace.ts";
import { coder } from "../charters/coder/coder.ts";
import type { Environment } from "../delivery/models/provider.ts";
import { aPath, badArgument, checkNeeded, isFunction } from "../prompt/argument.ts";
import { listed, Problem } from "../prompt/problem.ts";
import type { Notice, ToolLine } from "../prompt/reading.ts";
import { pathLine } from "../sources/disk/disk.ts";
import type { ConsideredFile } from "../sources/disk/findings.ts";
import { openProject, type Project } from "../sources/project.ts";
import { usedExtensions } from "../sources/trust/extensions.ts";

/** Options of `openWorkbench`: the directory, the agent's own files, and whether the project is trusted. */
export type WorkbenchOptions = {
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** Global agent directory, such as ~/.charter/agent. */
  readonly home: string;
  /** Name of the project's configuration directory, such as .charter, .sf or .pi. */
  readonly config: string;
  /** Called when it is opened and reloaded: tells whether the project's own prompt, skills and extensions may be used. */
  readonly trusted: () => boolean;
  /** Directory that contains .agents/skills. */
  readonly userHome?: string;
  /** Paths of further skills and extensions. */
  readonly skills?: readonly string[];
  readonly extensions?: readonly string[];
  /** Built-in tools that are active at first: by default read, bash, edit and write. Tools of extensions always are. */
  readonly tools?: readonly string[];
  /** Directories besides the working directory that file tools may use, and files they may never use. */
  readonly allowed?: readonly string[];
  readonly protected?: readonly string[];
  /** Limits of the built-in tools. The agent's own limits apply as well. */
  readonly limits?: Partial<WorkspaceLimits>;
  /** Source of the directory's files for file tools, if not the disk. */
  readonly files?: FileAccess;
  readonly documentation?: DirectoryFiles["documentation"];
  /** Declaration that takes the files; by default `coder()`. */
  readonly declaration?: Declaration | undefined;
  readonly env?: Environment;
};

/**
 * A coding agent's directory: its prompt files, tools and extensions, as one declaration for each turn. Pass `() =>
 * workbench.declare()` to `createAgent`.
 */
export type Workbench = {
  readonly project: Project;
  /** Shows that the project's own prompt, skills and extensions are used, as decided when this was opened or reloaded. */
  readonly trusted: boolean;
  /** Charter and rules without tools: enough to show a prompt. */
  readonly base: Declaration;
  /** Returns the current declaration. If an extension asked for a reload, everything is loaded again first. */
  readonly declare: () => Promise<Declaration>;
  /** Lines by which the active tools are listed in the prompt. */
  readonly lines: () => Promise<readonly ToolLine[]>;
  /** All files that were considered, including extensions. */
  readonly considered: () => readonly ConsideredFile[];
  /** Faults of extensions since this was last called. */
  readonly faults: () => readonly Notice[];
  /** Reads files, skills and extensions again. */
  readonly reload: () => Promise<void>;
  readonly close: () => void;
};

const { dirname, join } = process.getBuiltinModule("node:path");

const builtInTools: readonly string[] = [...usualTools, "grep", "find", "ls"];

function checkTools(wanted: readonly string[] = [], known: readonly string[]): void {
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new Problem("unknown-tool", `There is no tool ${listed(unknown)}.`, `The tools are ${listed(new Set(known))}.`);
}

type ReportedFault = { readonly extension: string; readonly code: string; readonly message: string };

/** Opens a directory for a coding agent: reads its prompt files, and loads tools and extensions. */
export function openWorkbench(options: WorkbenchOptions): Workbench {
  checkNeeded<WorkbenchOptions>("openWorkbench", options, {
    ...{ cwd: aPath, home: aPath, config: aPath },
    trusted: [isFunction, "Give a function that says whether the project is trusted: () => false."],
  });
  const { cwd, home, config, skills = [], extensions: namedExtensions = [] } = options;
  const faults: Notice[] = [];
  let trusted = options.trusted();
  const loading = createExtensionLoader(load);
  let project = open();

  function open(): Project {
    const { userHome } = options;
    const skillPaths = () => [...skills, ...(loading.current()?.skillPaths() ?? [])];
    return openProject({ cwd, home, config, trusted, skillPaths, ...(userHome === undefined ? {} : { userHome }) });
  }
  const used = () => usedExtensions({ cwd, home, config, trusted, named: namedExtensions });
  const entries = () => used().flatMap((one) => (one.used ? [one.path] : []));

  /** Paths the prompt tells the agent to read are readable wherever they are: the skills' directories, the documentation. */
  const readable = () => {
    const { documentation } = options;
    const pages = typeof documentation === "object" ? Object.values(documentation) : [];
    return [...project.look().skills.map(({ location }) => dirname(location)), ...pages];
  };

  async function load(reason: "startup" | "reload"): Promise<Extensions> {
    if (reason === "reload") {
      trusted = options.trusted();
      project = open();
      tellMissing();
    }
    const [{ loadExtensions }, { workspaceTools }] = await Promise.all([
      import("../agent/extension/extensions.ts"),
      import("../agent/workspace/workspace-tools.ts"),
    ]);
    const { allowed = [], env = process.env, limits = {}, files } = options;
    // The record of trust is protected, since only a person decides it, even if the global directory is inside the working
    // directory.
    const never = [...(options.protected ?? []), join(home, "trust")];
    const access = files === undefined ? {} : { files };
    const builtIn = workspaceTools({ root: cwd, allowed, readable, protected: never, env, limits, ...access });
    const active = options.tools === undefined ? {} : { active: options.tools };
    const loaded = await loadExtensions({ paths: entries(), cwd, builtIn, report, ...active }, reason);
    try {
      checkTools(options.tools, [...builtInTools, ...loaded.loaded.flatMap((one) => one.tools)]);
      return loaded;
    } catch (error) {
      loaded.close();
      throw error;
    }
  }
  const report = ({ code, ...fault }: ReportedFault) => {
    faults.push({ code, message: faultText(fault) });
  };
  /**
   * Reports extensions that were named but are missing. Other files of the project and the global directory are in `considered`.
   */
  const tellMissing = () => {
    if (namedExtensions.length === 0) return;
    for (const { path, place, used: isUsed, reason = "it is not used" } of used())
      if (place === "named" && !isUsed)
        faults.push({ code: "extension-missing", message: `${pathLine(path)} is no extension: ${reason}` });
  };
  tellMissing();

  /** Marks extensions as unused if they failed to load, or appeared since. */
  const asLoaded = (one: ConsideredFile): ConsideredFile => {
    const loaded = loading.current()?.loaded;
    if (!one.used || loaded === undefined || loaded.some(({ path }) => path === one.path)) return one;
    return { ...one, used: false, reason: "it is not loaded" };
  };

  const { documentation, declaration = coder() } = options;
  if (!declaration.withFiles)
    throw badArgument(
      "The `declaration` that openWorkbench was given takes no files.",
      "Give it withFiles, as coder() has.",
    );
  const base = withFiles(declaration, {
    system: (turn) => project.system(turn),
    append: (turn) => project.append(turn),
    context: (turn) => project.context(turn),
    skills: (turn) => project.skills(turn),
    cwd,
    ...(documentation ? { documentation } : {}),
  });

  return {
    get project() {
      return project;
    },
    get trusted() {
      return trusted;
    },
    base,
    declare: async () => {
      if ((await loading.ready()).wantsReload()) await loading.reload();
      const { tools, hooks } = await loading.ready();
      const active = [...tools(), ...((await base.tools?.()) ?? [])];
      return { ...base, tools: async () => active, hooks: [...(base.hooks ?? []), ...hooks] };
    },
    lines: async () => {
      // Names of the built-in tools are all the prompt needs without extensions, so nothing has to be loaded for it.
      if (!loading.hasStarted() && entries().length === 0 && !base.tools) {
        checkTools(options.tools, builtInTools);
        return (options.tools ?? usualTools).map((name) => ({ name }));
      }
      const [{ tools }, { linesOf }] = await Promise.all([loading.ready(), import("../agent/toolset.ts")]);
      return linesOf([...tools(), ...((await base.tools?.()) ?? [])]);
    },
    considered: () => [...project.look().considered, ...used().map(asLoaded)],
    faults: () => faults.splice(0),
    reload: loading.reload,
    close: loading.close,
  };
}
