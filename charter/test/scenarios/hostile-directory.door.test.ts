import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bareEnvironment, command } from "../cli.ts";
import { charterAtTerminal, hasTerminal } from "../terminal.ts";
import { bring, env, folder, ran, received, setUpStranger } from "./hostile-stage.ts";

/** A stranger's directory where the command is a process of its own: an editor's, or someone's at a terminal. */

setUpStranger();

test("before anyone has trusted it, charter acp refuses, and nothing leaves and nothing runs", () => {
  bring(".env", "models.json", "charter.config.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, "acp", "--model", "openai-chat/gpt-5"], {
    ...{ cwd: folder.path, env: { ...bareEnvironment(), ...env() }, encoding: "utf8" },
  });
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr.split("\n")[0]).toMatch(/^config-untrusted: .* not used: the directory is not trusted\.$/);
  expect([received, ran()]).toEqual([[], false]);
});

describe.skipIf(!hasTerminal)("at a terminal", () => {
  const at = (args: readonly string[]) => charterAtTerminal(args, { cwd: folder.path, env: env() });

  test("charter start asks once; before that nothing ran, and yes is remembered", async () => {
    folder.write(
      "charter.config.ts",
      'import { writeFileSync } from "node:fs";\nwriteFileSync("RAN", "");\nexport default {};\n',
    );
    const first = at(["start", "--no-open", "--port", "0"]);
    await first.shows("Trust it? [y]es, [o]nly this time, [N]o: ");
    expect(ran()).toBe(false);
    first.type("y\r");
    await first.shows("Ctrl-C stops it.");
    expect(ran()).toBe(true);
    first.type("\u0003");
    await first.ended;
    const second = at(["start", "--no-open", "--port", "0"]);
    await second.shows("Ctrl-C stops it.");
    second.type("\u0003");
    await second.ended;
    expect(second.text()).not.toContain("Trust it?");
  });

  test("no goes on without it, and a coding agent is not asked again", async () => {
    bring(".env", "models.json", "charter.config.ts");
    const terminal = at(["chat", "--charter", "coder", "--model", "stand-in"]);
    await terminal.shows("Trust it?");
    terminal.type("n\r");
    await terminal.shows("It goes on without them.");
    await terminal.shows("Tools: read, bash, edit, write.");
    terminal.type("/quit\r");
    await terminal.ended;
    expect([terminal.text().split("Trust it?").length, received, ran()]).toEqual([2, [], false]);
  });
});

test("a file that changes after it was looked at is not run: the words that run are compared", async () => {
  const path = join(realpathSync(folder.path), "own.mjs");
  const other = join(realpathSync(folder.path), "other.mjs");
  folder.write("own.mjs", 'import "./other.mjs";\nexport default {};\n');
  folder.write("other.mjs", "globalThis.CHANGED = true;\n");
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  const digests = [
    [path, sha256('import "./other.mjs";\nexport default {};\n')],
    [other, sha256("// as it was trusted\n")],
  ];
  const options = `{ what: "file", code: "bad-config", digests: new Map(${JSON.stringify(digests)}) }`;
  const source = JSON.stringify(new URL("../../src/host/import-file.ts", import.meta.url).href);
  const code = `const { importFile } = await import(${source});
    const said = await importFile(${JSON.stringify(path)}, ${options}).catch((error) => error.code + ": " + error.message);
    console.log(JSON.stringify([said, "CHANGED" in globalThis]));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
  expect(JSON.parse(stdout)).toEqual([`config-untrusted: ${other} changed while it was read, and is not run.`, false]);
});
