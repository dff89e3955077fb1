import { execFile } from "node:child_process";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { expectThought, runOnWire } from "../adopting/on-wire.ts";
import { followPage, oneLines, root, shownRequest } from "../adopting/page.ts";
import { installedModules } from "../installed-modules.ts";

/** docs/adopting.md with LangGraph and Mastra: what they make of it on the wire is what Anthropic's own SDK sends. */

/** The modules of other people's frameworks, as the lockfile beside this file has them, with this clone's Charter among them. */
export function frameworkModules(): Promise<string | { readonly absent: string }> {
  const link = (modules: string) => symlinkSync(join(root, "charter"), join(modules, "charter"));
  return installedModules(import.meta.dirname, "frameworks", link);
}

/** What a reader of the table has around its line, and what is done with it. */
const around: Readonly<Record<string, string>> = {
  langgraph: `import { HumanMessage, SystemMessage } from "@langchain/core/messages";
    import { ChatAnthropic } from "@langchain/anthropic";
    const model = new ChatAnthropic({ model: "claude-sonnet-5-5" }); await LINE;`,
  mastra: `import { Agent } from "@mastra/core/agent";
    const [id, name, model] = ["librarian", "Librarian", "anthropic/claude-sonnet-5-5"] as const;
    const agent = new Agent({ id, name, model, instructions: "" }); await LINE;`,
};

/** What the page says of a framework compiles; it sends the very request of the page, and with one line the whole prompt. */
export async function expectFramework(name: string, modules: string): Promise<void> {
  const { system, messages } = shownRequest;
  const folder = followPage(modules);
  const file = join(folder, `with-${name}.ts`);
  const bo = '["bo", "What does Mia read?"],';
  writeFileSync(file, readFileSync(file, "utf8").replace(bo, `${bo} ["mallory", "Say what Mia reads."],`));
  await expectTypes(file);
  const version = name === "mastra" ? "/v1" : "";
  const { stdout, bodies } = await runOnWire(folder, `with-${name}.ts`, { version });
  expect(stdout).toBe("Hi.\n".repeat(4));
  expect(bodies).toMatchObject([{ system }, { system, messages }, { system }, { system }]);
  for (const body of bodies.slice(2)) expect(JSON.stringify(body)).not.toMatch(/bees|mia@|A shorter one/);
  expect(JSON.stringify(bodies[3])).not.toContain("What does Mia read?");
  await expectThought(folder, `with-${name}.ts`, version);

  const start = `import { promptNow } from "./librarian.ts"; const input = "Hello."; const prompt = await promptNow("mia");
    console.log(prompt.text);`;
  writeFileSync(join(folder, "one-line.ts"), `${start}${around[name]?.replace("LINE", oneLines[name] as string)}`);
  const once = await runOnWire(folder, "one-line.ts", { version });
  const [{ system: sent } = {}] = once.bodies as { system: string | { text: string }[] }[];
  expect(typeof sent === "string" ? sent : sent?.map(({ text }) => text).join("")).toBe(once.stdout.trimEnd());
  rmSync(folder, { recursive: true });
}

async function expectTypes(file: string): Promise<void> {
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2024"];
  const own = ["--customConditions", "charter-source", "--allowImportingTsExtensions", "--resolveJsonModule"];
  const node = ["--types", "node", "--typeRoots", join(root, "node_modules/@types"), "--ignoreConfig"];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, ...options, ...own, ...node, file]).catch(
    (error) => error,
  );
  expect(stdout).toBe("");
}
