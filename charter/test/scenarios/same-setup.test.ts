import { afterAll, beforeAll, expect, test } from "vitest";
import { createHost } from "../../src/host/create-host.ts";
import { allRoutes, createApi } from "../../src/server/app.ts";
import { charter, createFolder, type Folder } from "../cli.ts";
import { newServed, type Served } from "../server/served.ts";

let served: Served;
let folder: Folder;
let ask: (method: string, path: string, body: object) => Promise<{ error?: object }>;

beforeAll(async () => {
  served = await newServed();
  const { store } = served;
  // Without a program that loads models: what servers of the command have.
  const app = createApi({ host: createHost({ store, env: {} }), operator: "olga", routes: allRoutes });
  const headers = {
    authorization: `Bearer ${await served.token({ kind: "operator" })}`,
    "content-type": "application/json",
  };
  ask = async (method, path, body) => {
    const request = new Request(`http://localhost/api${path}`, { method, headers, body: JSON.stringify(body) });
    return (await (await app.fetch(request)).json()) as { error?: object };
  };
  folder = createFolder();
  expect(folder.charter(["agents", "add", "ada", "--charter", "assistant"]).code).toBe(0);
});
afterAll(async () => {
  folder.remove();
  await served.close();
});

const setups = {
  "a model without a provider": { model: "gpt" },
  "a model of a provider nobody knows": { model: "none/gpt" },
  "an agent over ACP that nobody described": { model: "acp/claude" },
  "one model twice": { model: "openai/gpt-5,openai/gpt-5" },
  "an MCP server that nobody described": { settings: { mcp: ["files"] } },
  "a setting that nobody reads": { settings: { original: { sole: "Be kind." } } },
} as const;

for (const [what, setup] of Object.entries(setups))
  test(`${what} is refused in the same words by the API and the command, and nothing is kept`, async () => {
    const { model, settings } = { model: undefined, settings: undefined, ...setup };
    const flags = [...(model ? ["--model", model] : []), ...(settings ? ["--settings", "-"] : [])];
    const command = (args: readonly string[]) =>
      (JSON.parse(folder.charter([...args, ...flags, "--json"], JSON.stringify(settings ?? {})).stdout) as Said)
        .problem;
    const added = command(["agents", "add", "new", "--charter", "assistant"]);
    expect(added).toEqual((await ask("POST", "/agents", { name: "new", charter: "assistant", ...setup })).error);
    const set = command(["agents", "set", "ada"]);
    expect(set).toEqual((await ask("PATCH", "/agents/ada", setup)).error);
    expect(added).toMatchObject({ code: expect.stringMatching(/^(?:unknown-model|bad-model|bad-settings)$/) });
    expect(JSON.parse(folder.charter(["agents", "--json"]).stdout).agents).toHaveLength(1);
  });

type Said = { readonly problem: object };

test("what settings would say that are not trusted is not known, so nothing is refused for it, and that is said", () => {
  const there = createFolder({ "charter.config.ts": 'export default { acp: { claude: { command: ["claude"] } } };\n' });
  try {
    const args = ["agents", "add", "ada", "--charter", "assistant", "--model", "acp/claude"];
    const { code, stderr } = charter(args, { cwd: there.path });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^notice: config-untrusted: There is no agent “claude” for the model “acp\/claude”\. That is not for sure: “charter\.config\.ts” in .* says which models and servers there are, and is not used: .*charter trust\.\n$/,
      ),
    ]);
    expect(there.charter(["agents", "--json"]).stdout).toContain("acp/claude");
  } finally {
    there.remove();
  }
});
