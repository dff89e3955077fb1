import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk in memory: making and dropping the tests' databases costs half as much there. */
const memory = "/dev/shm";
const enough = 2 * 1024 ** 3;

/**
 * One folder for all that a run of the tests leaves lying around, which whoever is started finds by TMPDIR. What Node has
 * compiled outlives the run. Gives what takes the folder away.
 */
export function takeTemporaryFolder(): () => void {
  const usual = tmpdir();
  const folder = isRoomy() ? newFolder(memory) : newFolder(usual);
  process.env.NODE_COMPILE_CACHE ??= join(usual, "node-compile-cache");
  process.env.TMPDIR = folder;
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.once("exit", remove);
  return remove;
}

function newFolder(place: string): string {
  const folder = mkdtempSync(join(place, "charter-tests-"));
  // PostgreSQL may be run as somebody else, who has to come through.
  chmodSync(folder, 0o711);
  return folder;
}

/** There is room in memory, and what lies there may be run: in many containers neither is so. */
function isRoomy(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < enough) return false;
    const folder = newFolder(memory);
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    const { status } = spawnSync(program);
    rmSync(folder, { recursive: true });
    return status === 0;
  } catch {
    return false;
  }
}
