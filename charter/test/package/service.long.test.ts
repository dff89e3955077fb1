import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  installInto,
  packedTarballs,
  registryAbsence,
  runStranger,
  strangerEnvironment,
  strangerProject,
} from "../packed.ts";

/** The service's package beside the library's: the one command that brings everything `charter start` needs. */

const absent = await registryAbsence();
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) if (child.pid && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
});

/** Starts it in a folder, and gives the address it prints. */
async function start(folder: string): Promise<string> {
  const args = ["charter", "start", "--trust", "--no-open", "--json", "--port", "0"];
  const child = spawn("npx", ["--no-install", ...args], { cwd: folder, env: strangerEnvironment(), detached: true });
  started.push(child);
  let output = "";
  return new Promise((resolve, reject) => {
    child.stderr.on("data", (chunk) => (output += chunk));
    child.stdout.on("data", (chunk) => {
      output += chunk;
      const link = /"link":"([^"]+)"/.exec(output)?.[1];
      if (link !== undefined) resolve(link);
    });
    child.on("exit", (code) => reject(new Error(`charter start ended with ${code}: ${output}`)));
  });
}

async function expectStudio(link: string): Promise<void> {
  const answer = await fetch(new URL("/", link));
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const page = await answer.text();
  const script = /<script[^>]* src="([^"]+)"/.exec(page)?.[1] as string;
  expect(await fetch(new URL(script, link)).then(({ status }) => status)).toBe(200);
  expect(await fetch(new URL("/api/agents", link)).then(({ status }) => status)).toBe(401);
}

/** The API answers who has a token: routes, schemas and validation are the service's packages throughout. */
async function expectApi(link: string, folder: string): Promise<void> {
  const made = await runStranger("npx", ["--no-install", "charter", "tokens", "create", "--operator"], folder);
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, link), {
      ...init,
      headers: { authorization: `Bearer ${made.stdout.trim()}`, "content-type": "application/json" },
    });
  expect(await (await ask("/api/agents")).json()).toMatchObject({ agents: [{ name: "ada" }] });
  expect(Object.keys(((await (await ask("/openapi.json")).json()) as { paths: object }).paths).length).toBeGreaterThan(
    20,
  );
  const wrong = await ask("/api/agents/ada/turns", { method: "POST", body: "{}" });
  expect([wrong.status, ((await wrong.json()) as { error: { code: string } }).error.code]).toEqual([
    400,
    "bad-request",
  ]);
}

test("charter, then npm install charter-service: charter start prints its link, and the page is the studio", async ({
  skip,
}) => {
  if (absent) return skip(absent);
  const { charter, service } = await packedTarballs();
  const folder = await strangerProject([charter]);
  await installInto(folder, [service]);
  const link = await start(folder);
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in#charter_/);
  await expectStudio(link);
  await expectApi(link, folder);
});

test("in a project with a zod, a hono and a provider of its own, each has its own", async ({ skip }) => {
  if (absent) return skip(absent);
  const { charter, service } = await packedTarballs();
  const folder = await strangerProject(["zod@3.25.76", "hono@3.12.12", "@ai-sdk/openai@2.0.0"]);
  await installInto(folder, [charter, service]);
  const versionOf = (place: string) => JSON.parse(readFileSync(join(folder, place, "package.json"), "utf8")).version;
  const own = ["zod", "hono", "@ai-sdk/openai"].map((name) => versionOf(`node_modules/${name}`));
  expect(own).toEqual(["3.25.76", "3.12.12", "2.0.0"]);
  expect(versionOf("node_modules/charter-service/node_modules/hono")).toMatch(/^4\./);
  writeFileSync(join(folder, "charter.config.ts"), config);
  const link = await start(folder);
  await expectStudio(link);
  await expectApi(link, folder);
  writeFileSync(
    join(folder, "own.js"),
    `import { z } from "zod"; import { Hono } from "hono"; console.log(typeof z, typeof Hono);`,
  );
  expect(await runStranger(process.execPath, ["own.js"], folder)).toMatchObject({ stdout: "object function\n" });
});

const config = `
import { defineTool } from "charter/agent";
import { defineConfig } from "charter/server";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  summary: "The weather somewhere",
  input: z.object({ place: z.string() }),
  run: async ({ place }) => \`It is sunny in \${place}.\`,
});
export default defineConfig({ tools: [weather] });
`;

test("a configuration may import zod where its folder has none; what else it lacks is named", async ({ skip }) => {
  if (absent) return skip(absent);
  const { charter, service } = await packedTarballs();
  const folder = await strangerProject([charter, service]);
  const elsewhere = join(folder, "..", `${folder.split("/").at(-1)}-elsewhere`);
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "charter.config.ts"), config);
  // As npm init writes it.
  writeFileSync(join(elsewhere, "package.json"), '{ "type": "commonjs" }');
  writeFileSync(join(elsewhere, "wrong.ts"), `import "left-pad"; export default {};`);
  const command = join(folder, "node_modules/charter/bin/charter.js");
  const run = (...args: string[]) => runStranger(process.execPath, [command, ...args], elsewhere);
  expect(await run("start", "--config", "wrong.ts")).toMatchObject({
    code: 2,
    output:
      "package-missing: The configuration file at wrong.ts needs the package “left-pad”, which is not installed.\n" +
      "  Run npm install left-pad in the folder of that file.\n",
  });
  // The configuration is read and right; then the port is not.
  expect(await run("start", "--config", "charter.config.ts", "--port", "-1")).toMatchObject({
    code: 2,
    output: expect.stringContaining("“-1” is no port"),
  });
  expect(existsSync(join(elsewhere, "node_modules"))).toBe(false);
});
