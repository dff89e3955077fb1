import type { Environment } from "../../delivery/models/provider.ts";
import { badArgument, isObject, isText, kindOf } from "../../prompt/argument.ts";
import type { Tool } from "../tool.ts";
import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { commandEnvironment } from "./environment.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import { type Confinement, openWorkspace } from "./workspace.ts";
import { type WorkspaceLimits, workspaceLimitsOf } from "./workspace-limits.ts";
import { writeTool } from "./write.ts";

export type WorkspaceOptions = Confinement & {
  readonly limits?: Partial<WorkspaceLimits>;
  /** What commands are given, without what looks like a secret; the environment of this process, unless said. */
  readonly env?: Environment;
  /** Variables commands are given although they look like secrets. */
  readonly passEnv?: readonly string[];
};

/** What a coding agent works with: read, bash, edit, write, grep, find and ls, in this order. */
export function workspaceTools(options: WorkspaceOptions): readonly Tool[] {
  if (!isObject(options) || !isText(options.root))
    throw badArgument(
      `The root that workspaceTools was given is ${kindOf(options?.root ?? options)}.`,
      "Give workspaceTools({ root: process.cwd() }).",
    );
  const { env = process.env, passEnv: passed = [] } = options;
  const workspace = openWorkspace(options);
  const limits = workspaceLimitsOf(options.limits);
  return [
    readTool(workspace, limits),
    bashTool(workspace, limits, commandEnvironment(env, passed)),
    editTool(workspace, limits),
    writeTool(workspace),
    grepTool(workspace, limits),
    findTool(workspace, limits),
    lsTool(workspace, limits),
  ];
}
