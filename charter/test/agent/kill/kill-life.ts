import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Orders, ToldMoments, ToldTurn } from "./kill-turns.ts";

const program = new URL("./kill-turns.ts", import.meta.url).pathname;

/** One life of a process that takes turns: what it told before it ended, what ended it, what it complained of. */
export type TurnsLife = {
  readonly told: readonly ToldTurn[];
  readonly moments: ToldMoments["moments"];
  readonly signal: NodeJS.Signals | null;
  readonly complaint: string;
};

/**
 * Lives until its orders are done, or until it dies where they say; or it is killed so many milliseconds after it was
 * started, or after its first turn.
 */
export async function takeTurns(orders: Orders, when?: { start: number } | { turn: number }): Promise<TurnsLife> {
  const child = spawn(process.execPath, ["--conditions=charter-source", program, JSON.stringify(orders)], {
    stdio: ["ignore", "pipe", "pipe"],
    // Many short lives: what one compiled the next need not.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"), ...process.env },
  });
  const kill = (after: number) => setTimeout(() => child.kill("SIGKILL"), after);
  if (when && "start" in when) kill(when.start);
  const told: ToldTurn[] = [];
  let moments: ToldMoments["moments"] = {};
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  child.on("error", (error) => {
    complaint += error.message;
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const one = parsed(line);
    if (!one) return;
    if ("moments" in one) {
      moments = one.moments;
      return;
    }
    if (told.length === 0 && when && "turn" in when) kill(when.turn);
    told.push(one);
  });
  const signal = await new Promise<NodeJS.Signals | null>((resolve) => child.on("close", (_, by) => resolve(by)));
  return { told, moments, signal, complaint };
}

/** The last line may have been cut through. */
function parsed(line: string): ToldTurn | ToldMoments | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
