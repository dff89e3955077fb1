import { z } from "zod";
import type { Environment } from "../../delivery/models/provider.ts";
import { defineTool, type Tool, type ToolOutput } from "../tool.ts";
import { type CommandEnd, runCommand } from "./command.ts";
import { failedOutput, sizeText, withNotes } from "./output.ts";
import { createTail } from "./tail.ts";
import type { Workspace } from "./workspace.ts";
import type { WorkspaceLimits } from "./workspace-limits.ts";

const input = z.object({
  command: z
    .string()
    .min(1)
    .refine((words) => !words.includes("\0"), "it holds a NUL")
    .describe("Bash command to execute"),
  timeout: z.number().positive().optional().describe("Seconds after which it is stopped"),
});

/** One that hangs takes no more of the time there is, unless the model says that it may. */
const usualSeconds = 120;

/**
 * A shell in the working directory. It is NOT kept to that directory: whatever the user this process runs as may read,
 * write or reach over the network, a command may, too. Who wants file tools that cannot leave the directory to be all
 * there is leaves this tool out.
 */
export function bashTool({ root }: Workspace, limits: WorkspaceLimits, env: Environment): Tool {
  const { lines, bytes, commandSeconds } = limits;
  const usual = Math.min(usualSeconds, commandSeconds);
  return defineTool({
    name: "bash",
    input,
    summary: "Execute bash commands (ls, grep, find, etc.)",
    description: `Execute a bash command in the working directory. Gives standard output and standard error as they came, and the exit code where it is not 0. Shows the last ${lines} lines or ${sizeText(bytes)}, whichever is less; send longer output to a file and read that. ${timeText(usual, commandSeconds)} There is no standard input and no terminal, and processes left in the background end with the command. Commands are not kept to the working directory: take care.`,
    sensitive: true,
    place: root,
    run: async ({ command, timeout = usual }, { signal }) => {
      const tail = createTail(limits);
      const seconds = Math.min(timeout, commandSeconds);
      const ended = await runCommand({ command, cwd: root, env, seconds, signal, onOutput: tail.add });
      if (ended.kind === "not-run") return failedOutput(`The command could not be started: ${ended.reason}.`);
      const { text, note } = tail.text();
      const notes = [...(note === undefined ? [] : [note]), ...endNotes(ended, seconds, timeout)];
      return told(withNotes(text === "" ? "(no output)" : text, notes), ended);
    },
  });
}

function timeText(usual: number, max: number): string {
  if (usual === max) return `It is stopped after ${max} seconds, or sooner with timeout.`;
  return `It is stopped after ${usual} seconds; timeout gives it less, or up to ${max}.`;
}

function told(text: string, ended: CommandEnd): ToolOutput {
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
