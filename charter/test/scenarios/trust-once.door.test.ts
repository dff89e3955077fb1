import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { charter, command, createFolder, type Folder } from "../cli.ts";

/** Whether the settings of a directory count is found out once in a run of a command, and anew in the next. */

let folder: Folder;
let home: Folder;
const extension = ".charter/extensions/a.ts";
const files = {
  "charter.config.ts": "export default { port: 4748 };\n",
  "models.json": "{}\n",
  ".env": "CHARTER_ZONE=UTC\n",
  [extension]: "export default () => {};\n",
};

beforeEach(() => {
  folder = createFolder(files);
  home = createFolder();
});
afterEach(() => {
  folder.remove();
  home.remove();
});

const env = () => ({ HOME: home.path, NO_COLOR: "1" });
const run = (args: readonly string[], cwd = folder.path) => charter(args, { cwd, env: env() });

/** Tells at the end how often each file of the directory was opened. */
const counting = (root: string) => `
  const fs = process.getBuiltinModule("node:fs");
  const { openSync } = fs;
  const counts = {};
  fs.openSync = (path, ...rest) => {
    const name = String(path).replace(${JSON.stringify(`${root}/`)}, "");
    if (${JSON.stringify(Object.keys(files))}.includes(name)) counts[name] = (counts[name] ?? 0) + 1;
    return openSync(path, ...rest);
  };
  process.on("exit", () => process.stderr.write("opened " + JSON.stringify(counts) + "\\n"));
`;

function opened(args: readonly string[]): Readonly<Record<string, number>> {
  const root = realpathSync(folder.path);
  home.write("count.mjs", counting(root));
  const words = ["--import", join(home.path, "count.mjs"), command, ...args];
  const { stderr } = spawnSync(process.execPath, words, {
    cwd: root,
    env: { ...process.env, ...env() },
    encoding: "utf8",
  });
  const lines = stderr.split("\n").flatMap((line) => (line.startsWith("opened ") ? [line.slice(7)] : []));
  return JSON.parse(lines.at(-1) ?? "null") as Record<string, number>;
}

test.each([
  ["doctor", ["doctor"], { "models.json": 3, ".env": 2 }],
  ["agents add", ["agents", "add", "ada", "--charter", "assistant"], { "models.json": 2, ".env": 4 }],
  ["chat", ["chat", "--charter", "assistant", "--model", "stand-in/one", "Hello!"], { "models.json": 2, ".env": 3 }],
])("%s digests each file of a trusted directory once", (_, args, read) => {
  expect(run(["trust"]).code).toBe(0);
  // What a configuration names is looked for in it, and data is read when it is used: each is opened once more for that.
  expect(opened(args)).toEqual({ [extension]: 1, "charter.config.ts": 2, ...read });
});

test("the next command in the same process looks anew, here and elsewhere", () => {
  expect(run(["trust"]).code).toBe(0);
  const untrusted = /not used: the directory is not trusted/;
  expect(run(["doctor"]).stdout).not.toMatch(untrusted);
  folder.write(extension, "export default () => 1;\n");
  expect(run(["doctor"]).stdout).toMatch(untrusted);
  folder.write(extension, files[extension] as string);
  expect(run(["doctor"]).stdout).not.toMatch(untrusted);
  const other = createFolder(files);
  try {
    expect(run(["doctor"], other.path).stdout).toMatch(untrusted);
  } finally {
    other.remove();
  }
  expect(run(["trust", "--remove"]).code).toBe(0);
  expect(run(["doctor"]).stdout).toMatch(untrusted);
});
