import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { calls, scripted } from "./model.ts";
import { newStage, tool } from "./stage.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../../docs/architecture.md"), "utf8");
const [, steps = ""] = /^## A turn$(.*?)^`createAgent` runs these steps/ms.exec(page) ?? [];
const named = [...steps.matchAll(/`((?:turn\/)?[\w/-]+\.ts)`/g)].map(([, file]) => file as string);

const stage = await newStage();
afterAll(() => stage.close());

test("docs/architecture.md tells a turn by at most 25 files, all of which a turn with one call runs, and names all of `agent/turn`", async () => {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const agent = stage.agent(scripted([calls(["add"]), "Three."]), { tools: [tool("add", () => "3")] });
  expect((await agent.runTurn({ input: "One and two?", user: "eva" })).reply).toBe("Three.");
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const run = result
    .filter(({ functions }) => functions.some(({ functionName, ranges }) => functionName && ranges[0]?.count))
    .flatMap(({ url }) => url.split("/src/agent/").slice(1));
  expect(new Set(named).size).toBe(named.length);
  expect(named.length).toBeLessThanOrEqual(25);
  expect(named.filter((file) => !run.includes(file))).toEqual([]);
  expect(run.filter((file) => file.startsWith("turn/") && !named.includes(file))).toEqual([]);
});
