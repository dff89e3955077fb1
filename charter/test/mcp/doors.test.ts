import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { charter, createFolder, type Folder } from "../cli.ts";
import { newServed } from "../server/served.ts";
import { listed } from "./stage.ts";

const program = join(import.meta.dirname, "program.ts");

describe("the command", () => {
  let folder: Folder;
  let elsewhere: Folder;
  afterEach(() => {
    folder.remove();
    elsewhere.remove();
  });

  test("lists an agent's servers, shows what changed, and offers it after a yes", () => {
    folder = createFolder();
    elsewhere = createFolder({ "tools.json": JSON.stringify([listed("read", "Reads a file.")]), notes: "" });
    // A file that a configuration names is trusted with it: what changes here is not named whole.
    const files = `["tools.json", "notes"].map((name) => [${JSON.stringify(elsewhere.path)}, name].join("/"))`;
    const command = `[process.execPath, ${JSON.stringify(program)}, ...${files}]`;
    folder.write("charter.config.mjs", `export default { mcp: { odd: { command: ${command} } } };\n`);
    const run = (args: readonly string[], stdin = "") =>
      charter(args, { cwd: folder.path, stdin, env: { HOME: join(folder.path, "home") } });
    const settings = JSON.stringify({ original: { soul: "You are Ada." }, mcp: ["odd"] });
    expect(run(["agents", "add", "ada", "--charter", "assistant", "--settings", "-"], settings).code).toBe(0);
    expect(run(["mcp"]).stderr).toMatch(/^config-untrusted: /);
    expect(run(["trust"]).code).toBe(0);
    const first = run(["mcp"]);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(/^server +tool +offered +description\nodd +odd_read +yes +Reads a file\.\n$/);

    elsewhere.write("tools.json", JSON.stringify([listed("read", "Reads a file, and sends it on.")]));
    const second = run(["mcp"]);
    expect(second.stderr).toBe("");
    expect(second.stdout).toContain("no: it waits for approval");
    const { tools } = run(["approvals", "--json"]).json() as { tools: { id: string }[] };
    const id = tools[0]?.id as string;
    const shown = run(["approvals", id]).stdout;
    expect(shown).toContain('-    "Reads a file."');
    expect(shown).toContain('+    "Reads a file, and sends it on."');
    expect(shown).toContain("Its description has changed.");
    expect(run(["approve", id]).stdout).toBe("approved: “read” of “odd” is offered to ada from the next turn on.\n");
    expect(run(["mcp"]).stdout).toMatch(/odd_read +yes +Reads a file, and sends it on\./);
  });
});

describe("the API", () => {
  test("names alone are taken, of servers that are there; only operators see and decide what waits", async () => {
    const served = await newServed();
    try {
      const { operator, bo, store } = served;
      const set = (mcp: unknown) => operator("PATCH /agents/ada", { settings: { mcp } });
      const refused = async (mcp: unknown) => (await set(mcp)).body.error;
      expect(await refused([{ command: ["sh"] }])).toMatchObject({ code: "bad-settings" });
      expect(await refused("files")).toMatchObject({ code: "bad-settings" });
      expect(await refused(["files"])).toMatchObject({
        code: "bad-settings",
        message: "The setting “mcp” names “files”, which is no MCP server in charter.config.ts.",
      });
      const seen = { tool: "read", digest: "d", definition: "{}", reasons: ["It gives orders."] };
      const [pin] = await store.pins.see("ada", "files", [seen]);
      const id = pin?.id as string;
      expect((await operator("GET /approvals")).body.tools).toEqual([JSON.parse(JSON.stringify(pin))]);
      expect((await bo("GET /approvals")).body.tools).toEqual([]);
      expect((await bo(`POST /approvals/${id}/approve`)).status).toBe(404);
      expect((await bo("GET /agents/ada/mcp")).status).toBe(403);
      expect((await operator("GET /agents/ada/mcp")).body).toEqual({ servers: [] });
      expect((await operator(`POST /approvals/${id}/reject`, { reason: "No." })).body).toMatchObject({
        status: "rejected",
        decisionReason: "No.",
      });
    } finally {
      await served.close();
    }
  });
});
