import type { Environment } from "../../delivery/models/provider.ts";
import { badArgument, isObject, isText, kindOf } from "../../prompt/argument.ts";
import type { Tool } from "../tool.ts";
import { bashTool, commandEnvironment } from "./bash.ts";
import { editTool, readTool, writeTool } from "./file-tools.ts";
import type { FileAccess } from "./files.ts";
import { type WorkspaceLimits, workspaceLimitsOf } from "./limits.ts";
import { findTool, grepTool, lsTool } from "./search-tools.ts";
import { type Confinement, openWorkspace } from "./workspace.ts";

/** What `workspaceTools` is given: the directories, the limits, and the environment of commands. */
export type WorkspaceOptions = Confinement & {
  readonly limits?: Partial<WorkspaceLimits>;
  /** The environment of commands, without variables that look like secrets; that of this process, unless given. */
  readonly env?: Environment;
  /** Variables that commands get although they look like secrets. */
  readonly passEnv?: readonly string[];
  /** Where read, edit and write find the text of files of the root, if not on the disk. */
  readonly files?: FileAccess;
};

/** The tools of a coding agent in a directory: read, bash, edit, write, grep, find and ls. */
export function workspaceTools(options: WorkspaceOptions): readonly Tool[] {
  if (!isObject(options) || !isText(options.root))
    throw badArgument(
      `The root that workspaceTools was given is ${kindOf(options?.root ?? options)}.`,
      "Give workspaceTools({ root: process.cwd() }).",
    );
  const { env = process.env, passEnv: passed = [], files } = options;
  const workspace = openWorkspace(options);
  const limits = workspaceLimitsOf(options.limits);
  return [
    readTool(workspace, limits, files),
    bashTool(workspace, limits, commandEnvironment(env, passed)),
    editTool(workspace, limits, files),
    writeTool(workspace, files),
    grepTool(workspace, limits),
    findTool(workspace, limits),
    lsTool(workspace, limits),
  ];
}
