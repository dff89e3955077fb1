import { lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkToolInput, type Tool, type ToolContext, type ToolOutput } from "../../src/agent/tool.ts";
import { type WorkspaceOptions, workspaceTools } from "../../src/agent/workspace/workspace-tools.ts";
import { Problem } from "../../src/index.ts";

/** A working directory that is gone afterwards, one beside it that is off limits, and tools to work in the first. */
export type WorkspaceBench = {
  readonly root: string;
  readonly outside: string;
  /** What the model is told; “!” before what failed, the code of a Problem before its words. */
  readonly call: (name: string, input: object, options?: Calling) => Promise<string>;
  readonly put: (path: string, content?: string | Uint8Array) => string;
  /** What stands there; undefined where nothing does. */
  readonly text: (path: string) => string | undefined;
  readonly remove: () => void;
};

export type Calling = Partial<Omit<WorkspaceOptions, "root">> & { readonly signal?: AbortSignal };

export function newWorkspace(usual: Partial<WorkspaceOptions> = {}): WorkspaceBench {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "charter-workspace-")));
  const [root, outside] = [join(folder, "root"), join(folder, "outside")];
  for (const one of [root, outside]) mkdirSync(one);
  return {
    root,
    outside,
    call: async (name, input, { signal = new AbortController().signal, ...more } = {}) => {
      const tools = workspaceTools({ root, env: { PATH: process.env.PATH }, ...usual, ...more });
      const tool = tools.find((one) => one.name === name) as unknown as Tool<unknown>;
      try {
        const parsed = await checkToolInput(tool, input);
        if ("fault" in parsed) throw new Error(parsed.fault);
        return told(await tool.run(parsed.input, { signal } as ToolContext));
      } catch (error) {
        if (error instanceof Problem) return `${error.code}: ${error.message} ${error.hint}`;
        throw error;
      }
    },
    put: (path, content = "") => {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    text: (path) => {
      const file = join(root, path);
      return lstatSync(file, { throwIfNoEntry: false }) ? readFileSync(file, "utf8") : undefined;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function told(output: ToolOutput): string {
  if (typeof output === "string") return output;
  const { text, failed } = output as { text: string; failed?: true };
  return failed ? `! ${text}` : text;
}

/** Does a process run? One that has ended and only waits to be noticed does not. */
export function runs(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    // No such process, or no Linux.
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
