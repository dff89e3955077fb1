import { readFileSync } from "node:fs";

/** Does a process run? One that has ended and that nobody has taken note of yet does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat[stat.lastIndexOf(")") + 2] !== "Z";
  } catch (error) {
    // Only Linux lists processes in files; elsewhere it is there if it can be reached.
    return (error as NodeJS.ErrnoException).code === "ENOENT" && process.platform !== "linux";
  }
}
