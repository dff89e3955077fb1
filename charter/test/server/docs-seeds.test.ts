import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { charter } from "../cli.ts";
import { servedForAll } from "./served.ts";

/** What docs/seeds.md says of the doors that stand for the original's: each is there. */

const page = readFileSync(join(resolve(import.meta.dirname, "../../.."), "docs/seeds.md"), "utf8");
const rows = [...page.slice(page.indexOf("## The sovereign's doors")).matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm)]
  .map((row) => row.slice(1, 4) as [name: string, route: string, command: string])
  .filter(([, route]) => /GET|POST|PATCH/.test(route));

const served = servedForAll();

test("every route is one of the API's", () => {
  const named = rows.flatMap(([, route]) => [...route.matchAll(/\b(GET|POST|PATCH) (\S+?)(?:\?[^`]*)?`/g)]);
  expect(named.length).toBeGreaterThan(10);
  const paths = served.document.paths as Record<string, object>;
  const pattern = (path: string) => path.replace("…/", "/api/agents/{agent}/").replaceAll(/\{\w+\}/g, "{}");
  const known = new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${pattern(path)}`),
    ),
  );
  const asked = named.map(([, method, path]) => `${method} ${pattern(path as string)}`);
  const missing = asked.filter((one) => !known.has(one) && !known.has(one.replace(/\/tools\/\w+$/, "/tools/{}")));
  expect(missing).toEqual([]);
});

test("every command is one that the help knows, with its options", () => {
  const named = rows.flatMap(([, , command]) => [...command.matchAll(/`charter (\w+)([^`]*)`/g)]);
  expect(named.length).toBeGreaterThan(10);
  const wrong = named.filter(([, command = "", words = ""]) => {
    const help = charter([command, "--help"]).stdout;
    return (
      !help.startsWith(`charter ${command}: `) ||
      [...words.matchAll(/ (--[a-z-]+)/g)].some(([, one]) => !help.includes(one as string))
    );
  });
  expect(wrong.map(([words]) => words)).toEqual([]);
});

test("the agent's own tool changes a layer in the session that its caller names, and waits without one", async () => {
  await served.store.agents.add({ name: "sol", charter: "sovereign" });
  const loop = served.as(await served.token({ kind: "agent", agent: "sol" }));
  const change = (content: string, more = {}) =>
    loop("POST /agents/sol/tools/update_prompt_layer", { input: { layer_id: 6, content }, ...more });
  expect((await change("Wake, look, act.", { session: "life" })).status).toBe(200);
  expect((await change("Act.")).status).toBe(202);
  const { text, revision } = (await served.operator("GET /agents/sol/sections/6")).body;
  expect([text, revision]).toEqual(["Wake, look, act.", 1]);
});
