import { Problem, reasonOf } from "../../prompt/problem.ts";
import { codeOf } from "../../sources/disk/file.ts";

/** What the disk answered, as a mistake that can be mended. */
export function pathProblem(error: unknown, shown: string, doing: "read" | "written"): Problem {
  if (error instanceof Problem) return error;
  switch (codeOf(error)) {
    case "ENOENT":
      return new Problem("no-such-file", `There is no “${shown}”.`, "Look at what is there first.");
    case "ENOTDIR":
    case "EEXIST":
      return new Problem("not-a-file", `“${shown}” lies under something that is no directory.`, "Check the path.");
    case "EISDIR":
      return new Problem("not-a-file", `“${shown}” is a directory.`, "Name a file in it.");
    case "ELOOP":
      return new Problem(
        "bad-path",
        `“${shown}” is a link that leads nowhere, or was made one just now.`,
        "Name a file.",
      );
    case "ENAMETOOLONG":
      return new Problem("bad-path", "The path, or a name in it, is too long.", "Give a shorter one.");
    case "ENOSPC":
    case "EDQUOT":
      return new Problem("disk-full", `There is no room to write “${shown}”.`, "Make room; nothing was changed.");
    default: {
      const code = doing === "read" ? "unreadable" : "unwritable";
      return new Problem(code, `“${shown}” cannot be ${doing}: ${causeOf(error)}.`, "Check the path and its rights.");
    }
  }
}

/** Without the call and the path, which may be one nobody asked for. */
function causeOf(error: unknown): string {
  const reason = reasonOf(error);
  return /^[A-Z]+: ([^,]+),/.exec(reason)?.[1] ?? reason;
}
