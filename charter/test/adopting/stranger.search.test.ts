import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { bunFile } from "../bun.ts";
import { expectFramework, frameworkModules } from "../frameworks/frameworks.ts";
import { nodeFolder } from "../nodes.ts";
import { expectOwnPackages } from "../package/service.ts";
import {
  installInto,
  packedTarballs,
  registryAbsence,
  runStranger,
  strangerEnvironment,
  strangerProject,
} from "../packed.ts";
import { isWhole } from "../tiers/search.ts";
import { runOnWire } from "./on-wire.ts";
import { pageBlocks, root, shownRequest } from "./page.ts";
import { expectTypes, type SchemaLibrary, writePrograms } from "./stranger.ts";

/**
 * The packed library beside other people's packages: it installs, compiles and runs docs/adopting.md. Not every
 * combination, but each Node, Bun, zod and TypeScript at least once. Versions are exact, and npm's cache is shared. What
 * needs none of them is among the doors: package/base, package/types, package/resolve and adopting/page.
 */

const absent = await registryAbsence();
if (absent) console.warn(`Left out: ${absent}`);
const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const ours = (name: string) => `${name}@${devDependencies[name]}`;

/** Every program, compiled and run; each prints what it should. */
async function expectPrograms(folder: string, runtime: string, libraries: readonly SchemaLibrary[]): Promise<void> {
  const programs = writePrograms(folder, libraries);
  await expectTypes(folder, Object.keys(programs));
  // One after the other: starting each by itself would cost more than what it does.
  const lines = Object.keys(programs).map(
    (file) => `console.log("# ${file}"); await import("./${file}");
`,
  );
  writeFileSync(join(folder, "all.js"), lines.join(""));
  const { code, stdout, output } = await runStranger(runtime, ["all.js"], folder);
  const printed = Object.entries(programs).map(
    ([file, prints]) => `# ${file}
${prints}`,
  );
  expect([code, code === 0 ? stdout : output]).toEqual([0, printed.join("")]);
}

async function nodeFile(which: "22" | "24", { skip }: TestContext): Promise<string> {
  const folder = await nodeFolder(which);
  return typeof folder === "string" ? join(folder, "node") : skip(folder.absent);
}

const combinations: Readonly<Record<string, (context: TestContext) => Promise<void>>> = {
  "Node 22.18, zod 3.25, TypeScript 5.4; then the service, and charter start": async (context) => {
    const node = await nodeFile("22", context);
    const { charter, service } = await packedTarballs();
    const folder = await strangerProject([charter, "zod@3.25.76", "typescript@5.4.5", "@types/node@22.18.0"]);
    await expectPrograms(folder, node, ["zod"]);
    await installInto(folder, [service]);
    expect(await startedLink(folder, node)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in#charter_/);
  },
  "Node 24, zod 4.1, TypeScript 5.9, tools with valibot and arktype": async (context) => {
    const node = await nodeFile("24", context);
    const { charter } = await packedTarballs();
    const schemas = ["zod@4.1.13", ...["valibot", "@valibot/to-json-schema", "arktype"].map(ours)];
    const folder = await strangerProject([charter, ...schemas, "typescript@5.9.3", ours("@types/node")]);
    await expectPrograms(folder, node, ["zod", "valibot", "arktype"]);
  },
  "Bun, today's zod and TypeScript, and the SDKs of the page": async (context) => {
    const bun = await bunFile();
    if (typeof bun !== "string") return context.skip(bun.absent);
    const folder = mkdtempSync(join(tmpdir(), "charter-stranger-"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }));
    const sdks = ["ai", "openai", "@anthropic-ai/sdk", "typescript", "@types/node"].map(ours);
    const wanted = [(await packedTarballs()).charter, "zod@4.6.7", "@ai-sdk/anthropic@4.0.102", ...sdks];
    const cache = join(root, "node_modules/.cache/charter/bun");
    const added = await runStranger(bun, ["add", "--exact", "--cache-dir", cache, ...wanted], folder);
    expect([added.code, added.code === 0 || added.output]).toEqual([0, true]);
    await expectPrograms(folder, bun, ["zod"]);

    // What an SDK's own declarations lead to is not ours to check.
    const loops = ["ai", "openai", "anthropic", "tools"].map((name) => `with-${name}.ts`);
    expect(pageBlocks.map(({ file }) => file)).toEqual(expect.arrayContaining(loops));
    await expectTypes(folder, loops, { whole: false });
    await expectTypes(folder, loops, { whole: false, module: ["--module", "esnext", "--moduleResolution", "bundler"] });
    const { system, messages } = shownRequest;
    for (const [file, version] of [["with-ai.ts"], ["with-anthropic.ts", ""]] as const) {
      const { stdout, bodies } = await runOnWire(folder, file, {
        command: [bun],
        ...(version === "" ? { version } : {}),
      });
      expect([file, stdout, bodies[1]]).toMatchObject([file, "Hi.\nHi.\n", { system, messages }]);
    }
    const { bodies } = await runOnWire(folder, "with-openai.ts", { command: [bun] });
    expect(JSON.stringify(bodies[0])).toContain(JSON.stringify(system[0].text.trimEnd()));
  },
  "a project with a zod, a hono and a provider of its own: each has its own": expectOwnPackages,
  ...Object.fromEntries(
    ["langgraph", "mastra"].map((name) => [
      `${name} sends the very request of the page, and with one line the whole prompt`,
      async ({ skip }: TestContext) => {
        const modules = await frameworkModules();
        return typeof modules === "string" ? expectFramework(name, modules) : skip(modules.absent);
      },
    ]),
  ),
};

/** Each installs a hundred megabytes: not for a slice. */
test.runIf(isWhole).for(Object.entries(combinations))("%s", async ([, work], context) => {
  if (absent) return context.skip(absent);
  await work(context);
});

/** `npx charter start`, until it has printed its link. */
async function startedLink(folder: string, node: string): Promise<string> {
  const env = { ...strangerEnvironment(), PATH: [join(node, ".."), process.env.PATH].join(delimiter) };
  const words = ["--no-install", "charter", "start", "--no-open", "--json", "--port", "0"];
  const child = spawn("npx", words, { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  try {
    return await new Promise<string>((found, failed) => {
      const read = (chunk: Buffer) => {
        output += chunk;
        const [, link] = /"link":"([^"]+)"/.exec(output) ?? [];
        if (link !== undefined) found(link);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.on("exit", (code) => failed(new Error(`charter start ended with ${code}: ${output}`)));
    });
  } finally {
    if (child.exitCode === null) process.kill(-(child.pid as number), "SIGKILL");
  }
}
