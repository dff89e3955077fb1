import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { calls } from "../../agent/model.ts";
import { newResident, type ResidentStage } from "../../core-memory/resident-stage.ts";

let stage: ResidentStage;
beforeEach(async () => {
  stage = await newResident();
});
afterEach(() => stage.close());

const at = (door: string) => new URL(`../../../src/${door}/index.ts`, import.meta.url).href;
const declared = `({ ...house(() => ({ status: "unavailable", reason: "nobody has asked" })), memory, withMemory: house })`;

test.each([
  ["a declaration", (memory: string) => `const memory = ${memory};\nexport default ${declared};`],
  ["a function of the facts", () => `export default ({ memory }) => ${declared};`],
])("%s of a file of one's own has a core memory: in turns, in previews, with its tools beside", async (_, source) => {
  const { store, host, folder, lines, model, prompt, relay, settings } = stage;
  const file = join(folder, "own.ts");
  const { memory } = settings() as { memory: object };
  const beside = "export const tools = [replyToMessage()];";
  const words = 'const house = (core) => resident({ base: "You live in a house.", core });';
  const imports = `import { resident } from "${at("charters")}";\nimport { replyToMessage } from "${at("agent")}";`;
  writeFileSync(file, `${imports}\n${words}\n${source(JSON.stringify(memory))}\n${beside}\n`);
  await store.agents.put({ name: "ada", charter: file, settings: { memory } });
  lines.push(calls(["update_core_memory", { operation: "rewrite", content: "You are Ada." }]));
  await host.runTurn({ agent: "ada", input: "Who are you?", user: "mia" });
  expect(model.requests[0]?.tools.map(({ name }) => name).sort()).toEqual(["reply", "update_core_memory"]);
  expect(await prompt()).toBe("You live in a house.\n\nYou are Ada.");
  expect(await relay.held()).toHaveLength(1);
});
