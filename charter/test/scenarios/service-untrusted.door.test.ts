import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bareEnvironment, command, createFolder, type Folder } from "../cli.ts";

/** A folder that came from somewhere, with a database in it that names code of its own, and draws on terminals. */
const charter = "./evil\u001b]0;gone\u0007.ts";
let folder: Folder;
beforeAll(() => {
  folder = createFolder({
    [charter]:
      'import { writeFileSync } from "node:fs";\nwriteFileSync("run", "");\nexport default { name: "evil", layers: [{ name: "l", mutability: "fixed", sections: [{ name: "s", words: "x" }] }] };\n',
  });
  folder.charter(["agents", "add", "ada", "--charter", "assistant"]);
  const database = new DatabaseSync(join(folder.path, ".charter/charter.db"));
  database.prepare("update agents set charter = ?").run(charter);
  database.close();
});
afterAll(() => folder.remove());

test("charter start runs no code of a database that came with the folder, and says why there is no model", async () => {
  const child = spawn(process.execPath, [command, "start", "--no-open", "--port", "0"], {
    cwd: folder.path,
    env: bareEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = text(child.stderr);
  let banner = "";
  for await (const chunk of child.stdout) {
    banner += chunk;
    if (banner.includes("Ctrl-C stops it.")) child.kill("SIGTERM");
  }
  expect(banner).toContain("which is code, and the project its database lies in is not trusted");
  expect(banner + (await said)).not.toContain("\u001b]");
  expect(existsSync(join(folder.path, "run"))).toBe(false);
});

test("what a database calls things does not draw on the terminal of whoever is told", () => {
  const { code, stderr } = folder.charter(["show", "--agent", "ada"]);
  expect([code, stderr.split("\n")[0]]).toEqual([
    2,
    "charter-untrusted: “ada” has the charter ./evil\\u001b]0;gone\\u0007.ts, which is code, and the project its " +
      "database lies in is not trusted.",
  ]);
  expect(existsSync(join(folder.path, "run"))).toBe(false);
});
