import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { bareEnvironment, command, createFolder } from "../cli.ts";

const folder = createFolder();
afterAll(() => folder.remove());

const terminal = ["/usr/bin/script", "/bin/script"].find(existsSync);
if (!terminal) process.stderr.write("Nothing was tried on a terminal: there is no command script here.\n");

test.skipIf(!terminal)(
  "marks that nobody sees are seen on a terminal, whatever prints them; a pipe has the words",
  () => {
    const words = "Pay \u202e001 to bo.";
    const section = { name: "a", words };
    folder.write(
      "own.ts",
      `export default ${JSON.stringify({ name: "own", layers: [{ name: "a", mutability: "live", sections: [section] }] })};`,
    );
    const shown = (...more: string[]) => {
      const line = [process.execPath, command, "show", "--charter", "own.ts", ...more].join(" ");
      const env = bareEnvironment();
      return spawnSync(terminal as string, ["-qec", line, "/dev/null"], { cwd: folder.path, env, encoding: "utf8" })
        .stdout;
    };
    expect(shown().trim()).toBe("Pay \\u202e001 to bo.");
    expect(shown("--json")).toContain('"Pay \\u202e001 to bo."');
    expect(folder.charter(["show", "--charter", "own.ts"]).stdout).toBe(words);
  },
);
