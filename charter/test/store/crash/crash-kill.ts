import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Acknowledged } from "./writer.ts";

const program = new URL("./writer.ts", import.meta.url).pathname;

/** One life of a writer: what it was told yes to before it was killed, and what it complained of. */
export type Life = { readonly acknowledged: readonly Acknowledged[]; readonly complaint: string };

/**
 * Starts a writer and kills it, without a word, at the moment `when` says: so many milliseconds after it was started,
 * or after its first change was acknowledged; or as soon as enough was.
 */
export async function killWriter(
  url: string,
  when: { start: number } | { change: number } | { enough: (acknowledged: readonly Acknowledged[]) => boolean },
): Promise<Life> {
  const child = spawn(process.execPath, ["--conditions=charter-source", program, url], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = (after: number) => setTimeout(() => child.kill("SIGKILL"), after);
  if ("start" in when) kill(when.start);
  const acknowledged: Acknowledged[] = [];
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const done = parsed(line);
    if (!done) return;
    if (acknowledged.length === 0 && "change" in when) kill(when.change);
    acknowledged.push(done);
    if ("enough" in when && when.enough(acknowledged)) child.kill("SIGKILL");
  });
  child.on("error", (error) => {
    complaint += error.message;
  });
  const signal = await new Promise((resolve) => child.on("close", (_, killedBy) => resolve(killedBy)));
  if (signal !== "SIGKILL") complaint ||= "the writer ended by itself";
  return { acknowledged, complaint };
}

/** The last line may have been cut through. */
function parsed(line: string): Acknowledged | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
