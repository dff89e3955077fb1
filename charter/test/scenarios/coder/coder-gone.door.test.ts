import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { command, createFolder } from "../../cli.ts";

test("in a directory that is gone, a command says so", () => {
  const folder = createFolder();
  const inIt = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
  const words = [inIt, "sh", folder.path, process.execPath, command, "files"];
  const { stderr, status } = spawnSync("/bin/sh", ["-c", ...words], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: "no-such-directory: The current directory no longer exists.\n  Change to another directory.\n",
  });
});
