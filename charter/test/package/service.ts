import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { installInto, packedTarballs, runStranger, strangerEnvironment, strangerProject } from "../packed.ts";

/** `charter start` in a stranger's project, and what it has to answer. */

/** Starts it in a folder until the test is over, and gives the address it prints. */
export async function start(folder: string): Promise<string> {
  const args = ["charter", "start", "--trust", "--no-open", "--json", "--port", "0"];
  const child = spawn("npx", ["--no-install", ...args], { cwd: folder, env: strangerEnvironment(), detached: true });
  onTestFinished(() => {
    if (child.pid && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  });
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

export async function expectStudio(link: string): Promise<void> {
  const answer = await fetch(new URL("/", link));
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const page = await answer.text();
  const script = /<script[^>]* src="([^"]+)"/.exec(page)?.[1] as string;
  expect(await fetch(new URL(script, link)).then(({ status }) => status)).toBe(200);
  expect(await fetch(new URL("/api/agents", link)).then(({ status }) => status)).toBe(401);
}

/** The API answers who has a token: routes, schemas and validation are the service's packages throughout. */
export async function expectApi(link: string, folder: string): Promise<void> {
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

/** A configuration with a tool, for which its project needs a zod. */
export const config = `
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

/** In a project with a zod, a hono and a provider of its own, each has its own. */
export async function expectOwnPackages(): Promise<void> {
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
}
