import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { deployInbox, type LocalInbox } from "../../../chain/local-inbox.ts";
import { root } from "../fetched-package.ts";

/** A chain in a process of its own. */
export type ChainProcess = {
  readonly url: string;
  readonly port: number;
  /** Dies at once, and all that was on the chain with it. */
  readonly kill: () => Promise<void>;
};

/** Without a port, one that is free. The first one installs the chain. It ends with the test that forgot it. */
export async function startChainProcess(port = 0): Promise<ChainProcess> {
  const child = spawn(process.execPath, [join(root, "chain/node.ts"), String(port)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const url = await firstLine(child);
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  return { url, port: Number(new URL(url).port), kill };
}

/** The same with the contract on it. */
export async function startInbox(port = 0): Promise<LocalInbox & { readonly process: ChainProcess }> {
  const process = await startChainProcess(port);
  return { ...(await deployInbox(process.url)), process };
}

async function firstLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`The chain ended with ${code}.`)));
  const [line] = (await Promise.race([once(lines, "line"), ended])) as [string];
  return line;
}
