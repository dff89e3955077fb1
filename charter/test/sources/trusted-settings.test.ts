import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { projectTrust, trustProject } from "../../src/sources/trust/trust.ts";

/** A configuration is trusted with the scripts that it names, and without the data that programs write. */

const top = realpathSync(mkdtempSync(join(tmpdir(), "charter-settings-")));
afterAll(() => rmSync(top, { recursive: true, force: true }));

let count = 0;
let base: string;
beforeEach(() => {
  base = join(top, String(count++));
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}
const places = () => ({ cwd: base, home: join(top, "home"), config: ".charter", userHome: join(top, "home") });
const trust = () => trustProject(places(), "2026-03-07T14:55:05.000Z");
const now = () => projectTrust(places()).settings;
const trusted = [{ file: "charter.config.ts", trust: "trusted", changed: [] }];
const changed = (...files: string[]) => [{ file: "charter.config.ts", trust: "changed", changed: files }];

const data: readonly [configuration: string, ...written: string[]][] = [
  ['{ database: "./data.db" }', "data.db", "data.db-wal", "data.db-shm"],
  ['{ database: process.env.PLACE ?? "./kept/store" }', "kept/store", "kept/store-wal"],
  ['{ acp: { x: { command: ["node", "./agent.mjs", "--log", "./agent.log"] } } }', "agent.log"],
  ['{ mcp: { x: { command: ["sqlite-server", "./notes.sqlite3"] } } }', "notes.sqlite3"],
  [
    '{ data: ["./state", "./index.bin"], mcp: { x: { command: ["x", "./state/", "./state/a.bin", "./index.bin"] } } }',
    ...["state/a.bin", "state/package.json", "state/index.js", "index.bin"],
  ],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the configuration's own.
  ['{ data: [`${import.meta.dirname}/state`], mcp: { x: { command: ["x", "./state/a.bin"] } } }', "state/a.bin"],
];
test.each(data)("%s: what programs write later is not compared", (configuration, ...written) => {
  write("charter.config.ts", `export default ${configuration};\n`);
  trust();
  for (const path of written) {
    write(path, "1");
    expect([path, now()]).toEqual([path, trusted]);
    write(path, "2");
    expect([path, now()]).toEqual([path, trusted]);
  }
});

const scripts: readonly [configuration: string, script: string][] = [
  ['{ mcp: { x: { command: ["node", "./server.mjs"] } } }', "server.mjs"],
  ['{ mcp: { x: { command: ["node", "server.mjs"] } } }', "server.mjs"],
  ['{ mcp: { x: { command: ["python3", "tools/server.py"] } } }', "tools/server.py"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the configuration's own.
  ["{ acp: { x: { command: ['node', `${import.meta.dirname}/agent.mjs`] } } }", "agent.mjs"],
  ['{ mcp: { x: { command: ["./server"] } } }', "server"],
  ['{ data: ["./state"], mcp: { x: { command: ["sh", "./state/run.sh"] } } }', "state/run.sh"],
  ['{ data: ["./state"], mcp: { x: { command: ["./state/server", "./state/a.bin"] } } }', "state/server"],
  ['{ mcp: { x: { command: ["./server.log"] } } }', "server.log"],
  ['{ data: ["./state"], mcp: { x: { command: ["node", "./state/server"] } } }', "state/server.js"],
  ['{ data: ["./state"], mcp: { x: { command: ["pwsh", "./state/Run.PS1"] } } }', "state/Run.PS1"],
  ['{ data: ["./state"], mcp: { x: { command: ["bash", "./state/run.bash"] } } }', "state/run.bash"],
  ['{ mcp: { x: { command: ["java", "-jar", "server.jar"] } } }', "server.jar"],
  ['{ mcp: { x: { command: ["sh", "-c", "./run.sh --port 80"] } } }', "run.sh"],
  ['{ mcp: { x: { command: ["sh", "-c", "PORT=80 exec node server.mjs"] } } }', "server.mjs"],
  ['{ mcp: { x: { command: ["node", "--require=./first.cjs", "x"] } } }', "first.cjs"],
  ['{ /* data: ["./bin"], */ mcp: { x: { command: ["sh", "./bin/run"] } } }', "bin/run"],
  ['{ data: ["./state", /* "./bin" */], mcp: { x: { command: ["sh", "./bin/run"] } } }', "bin/run"],
  ['{ url: "https://a.org", // data: ["./bin"]\n mcp: { x: { command: ["sh", "./bin/run"] } } }', "bin/run"],
  ['{ data: ["./server.mjs"], mcp: { x: { command: ["node", "./server.mjs"] } } }', "server.mjs"],
  ['{ database: "./tools.ts", tools: (await import("./tools.ts")).tools }', "tools.ts"],
  ['{ data: ["./state"], tools: (await import("./state/tools")).tools }', "state/tools.ts"],
  ['{ tools: require("./tools.db") }', "tools.db"],
];
test.each(scripts)("%s: a script or an import that changed is named", (configuration, script) => {
  write("charter.config.ts", `export default ${configuration};\n`);
  write(script, "1");
  trust();
  expect(now()).toEqual(trusted);
  write(script, "2");
  expect(now()).toEqual(changed(script));
});

test("each file that changed, is new or is gone is named, and no other", () => {
  write("charter.config.ts", 'import "./a.ts";\nimport "./b.ts";\nimport "./c.ts";\nimport "./d.ts";\n');
  for (const name of ["a", "b", "d"]) write(`${name}.ts`, "1");
  trust();
  write("a.ts", "2");
  rmSync(join(base, "b.ts"));
  write("c.ts", "1");
  expect(now()).toEqual(changed("a.ts", "b.ts", "c.ts"));
});
