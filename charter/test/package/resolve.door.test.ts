import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

/** Whose packages our own files find, where a project has others. service.search.test.ts does the same with real ones. */

const source = resolve(import.meta.dirname, "../../src");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "charter-resolve-"));
  for (const name of ["packages", "prompt/problem.ts"])
    cpSync(join(source, name), join(folder, "charter/src", name), { recursive: true });
  cpSync(join(source, "../bin/import-package.js"), join(folder, "charter/bin/import-package.js"));
  write("charter/package.json", '{ "type": "module" }');
  write("charter/src/server.ts", 'export { version as hono } from "hono"; export { version as zod } from "zod";');
  packageAt("node_modules/hono", 3);
  packageAt("node_modules/zod", 3);
  packageAt("charter/node_modules/zod", 4);
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

function packageAt(place: string, version: number): void {
  write(join(place, "package.json"), '{ "type": "module", "exports": "./index.js" }');
  write(join(place, "index.js"), `export const version = ${version};`);
}

function installService(): void {
  const dependencies = { hono: "4.0.0", grammy: "1.0.0", zod: "4.0.0" };
  write("node_modules/charter-service/package.json", JSON.stringify({ name: "charter-service", dependencies }));
  packageAt("node_modules/charter-service/node_modules/hono", 4);
  packageAt("node_modules/charter-service/node_modules/zod", 5);
}

/** What a program in the project prints. */
function run(program: string): unknown {
  write("program.mjs", program);
  return JSON.parse(execFileSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf8" }));
}

const opened = `
import { requireService } from "./charter/src/packages/load-package.ts";
import { loadPackage } from "./charter/src/packages/load-package.ts";
const told = ({ code, message }) => ({ code, message });
const service = await Promise.resolve().then(() => requireService({ purpose: "The server" })).then(() => "found", told);
const grammy = await loadPackage("grammy", { purpose: "Telegram" }).then(({ version }) => version, told);
const { hono, zod } = await import("./charter/src/server.ts");
const own = (await import("hono")).version;
console.log(JSON.stringify({ service, grammy, hono, zod, own }));`;

test("with charter-service, our files have its packages, zod is our own, and the project keeps those it has", () => {
  installService();
  packageAt("node_modules/charter-service/node_modules/grammy", 1);
  expect(run(opened)).toEqual({ service: "found", grammy: 1, hono: 4, zod: 4, own: 3 });
});

test("without it the server says so; a package that the project has itself is taken", () => {
  packageAt("node_modules/grammy", 2);
  expect(run(opened)).toEqual({
    service: {
      code: "package-missing",
      message: "The server needs the package “charter-service”, which is not installed.",
    },
    grammy: 2,
    hono: 3,
    zod: 4,
    own: 3,
  });
});

test("a package that is nowhere is named with what needs it; one that fails when it is loaded says why itself", () => {
  installService();
  const missing = { code: "package-missing", message: "Telegram needs the package “grammy”, which is not installed." };
  expect(run(opened)).toMatchObject({ service: "found", grammy: missing });
  write("node_modules/grammy/package.json", '{ "type": "module", "exports": "./index.js" }');
  write("node_modules/grammy/index.js", 'import "of-its-own";');
  expect(run(opened)).toMatchObject({ grammy: { code: "ERR_MODULE_NOT_FOUND" } });
});
