import { badArgument } from "../../../prompt/argument.ts";
import { Problem, reasonOf } from "../../../prompt/problem.ts";

const diskFull = (path: string): [string, string, string] => [
  "disk-full",
  `There is no room left on the disk for ${path}.`,
  "Free some space. Nothing was changed.",
];

/** Error code for a shared-memory file that could not grow: that, too, is a full disk. */
const noRoomForIndex = 10 + 19 * 256;

const busy = (path: string): [string, string, string] => [
  "store-busy",
  `${path} was kept busy by another process.`,
  "Try again; if it stays so, look for a process that holds it.",
];

const codes: Readonly<Record<number, (path: string) => [code: string, message: string, hint: string]>> = {
  5: busy,
  8: (path) => [
    "read-only",
    `${path} cannot be written to.`,
    "Make the file and its folder writable, or name another with --database.",
  ],
  10: (path) => ["store-failed", `The disk under ${path} failed.`, "Look at the disk; nothing acknowledged was lost."],
  11: (path) => [
    "store-damaged",
    `${path} is damaged.`,
    "Restore a checkpoint with `charter checkpoint restore`, into a new file.",
  ],
  13: diskFull,
  14: (path) => [
    "unreadable",
    `${path} cannot be opened.`,
    "Check that the folder exists and that you may write to it.",
  ],
  // Code 15, "locking protocol": others were faster each time it tried to begin.
  15: busy,
  26: (path) => [
    "not-a-charter-database",
    `${path} is no database.`,
    "Name another file with --database; nothing in it was touched.",
  ],
};

export function sqliteProblem(error: unknown, path: string): unknown {
  const errcode = (error as { errcode?: number }).errcode;
  const known = errcode === noRoomForIndex ? diskFull : errcode === undefined ? undefined : codes[errcode & 0xff];
  if (known) return new Problem(...known(path));
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EACCES" || code === "EROFS" || code === "ENOTDIR" || code === "EPERM")
    return new Problem("unreadable", `${path} cannot be opened: ${reasonOf(error)}.`, "Check the path and its rights.");
  if (code === "ENOSPC") return new Problem(...diskFull(path));
  if (
    /^(?:Provided value cannot be bound|Returned JavaScript value cannot|datatype mismatch|Unknown named parameter|NOT NULL constraint failed)/.test(
      reasonOf(error),
    )
  )
    return badArgument(
      "A function of the store was given a value that is missing, or of another kind than it takes.",
      "Look at the call: docs/reference/store.md says what each function takes.",
    );
  return error;
}
