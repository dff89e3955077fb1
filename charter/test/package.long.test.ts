import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

/** The package as it is published: built, and used by someone who has nothing else of this repository. */

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "charter-package-"));
const home = join(folder, "charter");
const tsc = join(root, "node_modules/typescript/bin/tsc");

async function run(...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: home, env }).catch((error) => error);
  return stdout;
}

beforeAll(async () => {
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const name of ["package.json", "bin"])
    cpSync(join(root, "charter", name), join(home, name), { recursive: true });
  expect(await run(tsc, "-p", join(root, "charter/tsconfig.build.json"), "--outDir", join(home, "dist"))).toBe("");
});
afterAll(() => rmSync(folder, { recursive: true }));

test("every door is there, with its types", () => {
  const { exports: doors } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const files = Object.values(doors as Record<string, { types: string; default: string }>).flatMap((door) => [
    door.types,
    door.default,
  ]);
  expect(files.filter((file) => !existsSync(join(home, file)))).toEqual([]);
});

const program = `
import { Problem } from "charter";
import { createAgent, defineTool, type Hook, type TurnOutcome } from "charter/agent";
import { splitMessage } from "charter/channels";
import { assistant } from "charter/charters";
import { loadModel, type Model } from "charter/delivery";
import { createStore, sqlite } from "charter/store";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  input: z.object({ city: z.string(), days: z.number().default(1) }),
  summary: "Look up the weather",
  run: async ({ city, days }) => {
    const told: [string, number] = [city, days];
    // @ts-expect-error: what a tool is given is what its schema says.
    const wrong: number = city;
    return told.join(" ") + typeof wrong;
  },
});
const seen: string[] = [];
const looking: Hook = { name: "looking", "after-turn": ({ state }) => void seen.push(state) };
const model: Model = await loadModel("stand-in/scripted", { env: {} });
const store = await createStore(sqlite(":memory:"));
const agent = createAgent({ name: "ada", charter: assistant(), model, store, tools: [weather], hooks: [looking] });
const outcome: TurnOutcome = await agent.runTurn({ input: 'call weather with {"city":"Rome"}' });
const problem = await loadModel("anthropic/claude-x", { env: {} }).catch((error: Problem) => error);
console.log(outcome.reply, seen, problem instanceof Problem && problem.code, typeof splitMessage);
`;

test("an agent in TypeScript: what it is given has its types, and it takes a turn", async () => {
  writeFileSync(join(home, "program.ts"), program);
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--skipLibCheck", "--types", "node"];
  expect(await run(tsc, ...options, "program.ts")).toBe("");
  expect(await run("program.ts")).toBe(
    "(stand-in model)\nweather answered:\nRome 1string [ 'answered' ] needs-key function\n",
  );
});

test("the command talks, with nothing of the source around", async () => {
  expect(await run("bin/charter.js", "chat", "hello")).toContain("(stand-in model)");
});
