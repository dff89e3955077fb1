import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqlite } from "../../../src/store/index.ts";
import type { Place } from "../../homes.ts";

/** A small disk of its own for one database. */
export type SmallDisk = Place & {
  /** Takes all the room there is, but for what the files on it have already. */
  readonly fill: () => void;
  readonly free: () => void;
};

/** Some megabytes of memory that behave like a disk. Only root may have that: without it, why not is printed. */
export function newSmallDisk(megabytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "charter-disk-"));
  const mount = ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder];
  const { status, stderr } = spawnSync("mount", mount, { encoding: "utf8" });
  if (status !== 0) {
    process.stdout.write(`Not tried: a full disk (mount: ${stderr?.trim() ?? "not there"}).\n`);
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const url = join(folder, "charter.db");
  return {
    url,
    open: () => sqlite(url),
    fill: () => {
      for (let size = 1_000_000; size >= 1; size = Math.floor(size / 4))
        for (let more = 0; ; more++)
          try {
            writeFileSync(join(folder, `filler-${size}-${more}`), Buffer.alloc(size, 1));
          } catch {
            break;
          }
    },
    free: () => {
      for (const name of readdirSync(folder)) if (name.startsWith("filler")) rmSync(join(folder, name));
    },
    remove: async () => {
      execFileSync("umount", ["-l", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
