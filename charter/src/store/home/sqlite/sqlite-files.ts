import type { BigIntStats } from "node:fs";
import { Problem } from "../../../prompt/problem.ts";

/** The files a database was opened as, by device and inode: whatever lies under their names now. */
type OpenFiles = {
  /** Opens the file, and remembers which one it was. Whoever opens it again gets the same one, or a Problem. */
  readonly open: <Opened>(work: (file: string) => Opened) => Opened;
  /** The log beside it is there as soon as something was read or written, and as long as anyone has the file open. */
  readonly noteLog: () => void;
  /** Why nothing that is written would last; `undefined`, as long as the files lie where they were opened. */
  readonly storageLost: () => Problem | undefined;
  /** Throws what `gone` gives. */
  readonly check: () => void;
  /** The same now and then, for who only reads: a look would cost as much as most reads. */
  readonly checkNowAndThen: () => void;
};

const nowAndThenMs = 250;

type Identity = Pick<BigIntStats, "dev" | "ino">;

/**
 * A process goes on writing into a file that was deleted, moved away or replaced, and nobody ever finds what it wrote. So
 * it looks what lies at the path: before it writes, and once more before it says that something was kept.
 *
 * Only names are looked at. To open the file and close it again would let go of SQLite's own locks on it.
 */
export function createOpenFiles(path: string, stopwatch = () => performance.now()): OpenFiles {
  const { realpathSync } = process.getBuiltinModule("node:fs");
  const { resolve } = process.getBuiltinModule("node:path");
  let opened: { readonly file: string; readonly log: string; readonly as: Identity } | undefined;
  let logAs: Identity | undefined;
  let filled = false;
  let looked = Number.NEGATIVE_INFINITY;

  const gone = (): Problem | undefined => {
    if (!opened) return undefined;
    const now = lookAt(opened.file);
    if (now === "hidden") return undefined;
    if (!isSame(now, opened.as))
      return lostFile(path, now === undefined ? "deleted or moved away" : "replaced by another");
    filled ||= now.size > 0n;
    if (filled && now.size === 0n) return lostFile(path, "emptied");
    if (logAs === undefined) return undefined;
    const log = lookAt(opened.log);
    if (log === "hidden" || isSame(log, logAs)) return undefined;
    return lostFile(`${path}-wal`, log === undefined ? "deleted or moved away" : "replaced by another");
  };
  const check = () => {
    const problem = gone();
    if (problem) throw problem;
  };
  return {
    storageLost: gone,
    check,
    checkNowAndThen: () => {
      if (stopwatch() - looked < nowAndThenMs) return;
      check();
      looked = stopwatch();
    },
    open: (work) => {
      check();
      // The folder a process works in may change; the file it has open does not.
      const file = opened?.file ?? resolve(path);
      const made = work(file);
      const as = opened ? undefined : lookAt(file);
      if (as && as !== "hidden") opened = { file, log: `${realpathSync(file)}-wal`, as };
      check();
      return made;
    },
    noteLog: () => {
      if (logAs !== undefined || !opened) return;
      const log = lookAt(opened.log);
      if (log !== "hidden") logAs = log;
    },
  };
}

/** What lies at a path. A folder that may not be looked into any more says nothing about what is in it. */
function lookAt(path: string): BigIntStats | "hidden" | undefined {
  const { statSync } = process.getBuiltinModule("node:fs");
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "EACCES" || code === "EPERM" ? "hidden" : undefined;
  }
}

function isSame(now: BigIntStats | undefined, as: Identity): now is BigIntStats {
  return now !== undefined && now.dev === as.dev && now.ino === as.ino;
}

function lostFile(path: string, what: string): Problem {
  return new Problem(
    "store-gone",
    `${path} was ${what} while it was in use.`,
    "Nothing more is kept. Put it back as it was; or stop every process that uses it, restore a checkpoint, and start them again.",
  );
}
