import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "../../delivery/models/provider.ts";
import { badArgument, isObject, isText, kindOf } from "../../prompt/argument.ts";
import { defineTool, type Tool, type ToolOutput, toolInput } from "../tool.ts";
import { editTool, readTool, writeTool } from "./file-tools.ts";
import { failedOutput, printable, sizeText, type WorkspaceLimits, withNotes, workspaceLimitsOf } from "./limits.ts";
import { type CommandEnd, commandEnvironment, runCommand } from "./run-command.ts";
import { findTool, grepTool, lsTool } from "./search-tools.ts";
import { type Confinement, type FileAccess, openWorkspace, type Workspace } from "./workspace.ts";

/** Options of `workspaceTools`: the directories, the limits, and the environment of commands. */
export type WorkspaceOptions = Confinement & {
  readonly limits?: Partial<WorkspaceLimits>;
  /** The environment of commands, without variables that look like secrets; that of this process, unless given. */
  readonly env?: Environment;
  /** Names of variables that commands get although they look like secrets. */
  readonly passEnv?: readonly string[];
  /** Access to the text of files of the root for read, edit and write; the disk, unless given. */
  readonly files?: FileAccess;
};

/** Makes the tools of a coding agent in a directory: read, bash, edit, write, grep, find and ls. */
export function workspaceTools(options: WorkspaceOptions): readonly Tool[] {
  if (!isObject(options) || !isText(options.root))
    throw badArgument(
      `The root that workspaceTools was given is ${kindOf(options?.root ?? options)}.`,
      "Give workspaceTools({ root: process.cwd() }).",
    );
  const { env = process.env, passEnv = [], files } = options;
  const workspace = openWorkspace(options);
  const limits = workspaceLimitsOf(options.limits);
  return [
    readTool(workspace, limits, files),
    bashTool(workspace, limits, commandEnvironment(env, passEnv)),
    editTool(workspace, limits, files),
    writeTool(workspace, files),
    grepTool(workspace, limits),
    findTool(workspace, limits),
    lsTool(workspace, limits),
  ];
}

const input = toolInput((z) => ({
  command: z
    .string()
    .min(1)
    .refine((words) => !words.includes("\0"), "it holds a NUL")
    .describe("Bash command to execute"),
  timeout: z.number().positive().optional().describe("Seconds after which it is stopped"),
}));

/** Default timeout of a command in seconds, so that one that hangs does not use up all the time; the model may ask for more. */
const usualTimeoutSeconds = 120;

/**
 * Makes a shell tool in the working directory. A command is NOT kept to that directory: it may read, write and reach over the
 * network whatever the user of this process may. Leave this tool out if file tools that cannot leave the directory are to be
 * everything there is.
 */
function bashTool({ root }: Workspace, limits: WorkspaceLimits, env: Environment): Tool {
  const { lines, bytes, commandSeconds } = limits;
  const usual = Math.min(usualTimeoutSeconds, commandSeconds);
  return defineTool({
    name: "bash",
    input,
    summary: "Execute bash commands (ls, grep, find, etc.)",
    description: `Execute a bash command in the working directory. Gives standard output and standard error as they came, and the exit code where it is not 0. Shows the last ${lines} lines or ${sizeText(bytes)}, whichever is less; send longer output to a file and read that. ${timeText(usual, commandSeconds)} There is no standard input and no terminal, and processes left in the background end with the command. Commands are not kept to the working directory: take care.`,
    trusted: true,
    place: root,
    run: async ({ command, timeout = usual }, { signal }) => {
      const tail = createTail(limits);
      const seconds = Math.min(timeout, commandSeconds);
      const ended = await runCommand({
        words: shellWords(env, command),
        cwd: root,
        env,
        seconds,
        signal,
        onOutput: tail.add,
      });
      if (ended.kind === "not-run") return failedOutput(`The command could not be started: ${ended.reason}.`);
      const { text, note } = tail.text();
      const notes = [...(note === undefined ? [] : [note]), ...endNotes(ended, seconds, timeout)];
      return commandOutput(withNotes(text === "" ? "(no output)" : text, notes), ended);
    },
  });
}

function timeText(usual: number, max: number): string {
  if (usual === max) return `It is stopped after ${max} seconds, or sooner with timeout.`;
  return `It is stopped after ${usual} seconds; timeout gives it less, or up to ${max}.`;
}

function commandOutput(text: string, ended: CommandEnd): ToolOutput {
  return ended.kind === "exited" && ended.code === 0 ? text : failedOutput(text);
}

function endNotes(ended: CommandEnd, seconds: number, asked: number): string[] {
  switch (ended.kind) {
    case "exited":
      return [...(ended.code === 0 ? [] : [`Exit code ${ended.code}.`]), ...leftNotes(ended.left)];
    case "killed":
      return [`Ended by ${ended.signal}.`, ...leftNotes(ended.left)];
    case "late": {
      const max = asked > seconds ? ` (${asked} were asked for; ${seconds} are the most)` : "";
      return [`Stopped after ${seconds} s${max}, with all it had started.`];
    }
    case "stopped":
      return ["Stopped with the turn, and with all it had started."];
    default:
      return [];
  }
}

function leftNotes(left: number): string[] {
  if (left === 0) return [];
  const what = left === 1 ? "1 process" : `${left} processes`;
  return [`${what} still ran in the background and ended with the command.`];
}

type Tail = {
  readonly add: (chunk: Uint8Array) => void;
  /** Returns the last lines that fit, and a note about the rest. */
  readonly text: () => { readonly text: string; readonly note?: string };
};

/** Keeps the end of a command's output: it may print for ever, and takes no more memory for it. */
export function createTail({ lines: maxLines, bytes: maxBytes }: Pick<WorkspaceLimits, "lines" | "bytes">): Tail {
  // Cleaning for display happens at the end and removes bytes, so more than the limit is kept until then.
  const keep = 4 * maxBytes;
  const chunks: Uint8Array[] = [];
  let kept = 0;
  let total = 0;
  let ends = 0;
  let last = 0;
  const count = (chunk: Uint8Array): void => {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (byte === 10 ? last !== 13 : byte === 13) ends++;
      last = byte;
    }
  };
  return {
    add: (chunk) => {
      count(chunk);
      total += chunk.length;
      kept += chunk.length;
      chunks.push(chunk);
      while (kept - (chunks[0]?.length ?? 0) >= keep) kept -= chunks.shift()?.length ?? 0;
    },
    text: () => {
      const shown = printable(soundText(Buffer.concat(chunks), total > kept));
      const lines = shown.replace(/\n$/, "").split("\n");
      const all = total === 0 ? 0 : ends + (last === 10 || last === 13 ? 0 : 1);
      const { from, cut } = tailFrom(lines, maxLines, maxBytes);
      const text = cut ?? lines.slice(from).join("\n");
      if (cut === undefined && from === 0 && total === kept) return { text };
      const first = all - (lines.length - from) + 1;
      const range = cut === undefined ? `Lines ${first}-${all} of ${all}` : `The end of line ${all} of ${all}`;
      return { text, note: `${range}; ${sizeText(total)} were printed in all, and what came before is gone.` };
    },
  };
}

/** Returns the line from which on the lines fit; a last line that is too long alone is cut at its beginning. */
function tailFrom(lines: readonly string[], mostLines: number, mostBytes: number): { from: number; cut?: string } {
  let bytes = 0;
  let from = lines.length;
  while (from > 0 && lines.length - from < mostLines) {
    bytes += Buffer.byteLength(lines[from - 1] as string) + 1;
    if (bytes - 1 > mostBytes) break;
    from--;
  }
  if (from < lines.length) return { from };
  const whole = Buffer.from(lines.at(-1) ?? "");
  return { from: lines.length - 1, cut: soundText(whole.subarray(Math.max(0, whole.length - mostBytes)), true) };
}

/** Decodes UTF-8, replacing invalid bytes; half a character at a cut is dropped. */
function soundText(bytes: Buffer, cut: boolean): string {
  let start = 0;
  while (cut && start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString("utf8", start);
}

/**
 * Makes the words that run a command in a shell. Standard error goes where standard output goes, so that lines come in the order
 * in which they were printed: the started shell replaces itself by one whose outputs are joined.
 */
function shellWords(env: Environment, command: string): readonly string[] {
  const shell = shellOf(env);
  return [shell, "-c", 'exec "$0" -c "$1" 2>&1', shell, command];
}

/** Finds a shell: bash where there is one, else sh. */
function shellOf({ PATH = "" }: Environment): string {
  const folders = ["/bin", ...PATH.split(delimiter).filter(isAbsolute)];
  const candidates = folders.map((folder) => join(folder, "bash"));
  return candidates.find(isRunnable) ?? "/bin/sh";
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
