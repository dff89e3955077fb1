import { expect, test } from "vitest";
import { newServed } from "../server/served.ts";

test("the API: names alone are taken, of servers that are there; only operators see and decide what waits", async () => {
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
    expect((await operator("GET /agents/ada/mcp")).body).toEqual({ agent: "ada", servers: [] });
    expect((await operator(`POST /approvals/${id}/reject`, { reason: "No." })).body).toMatchObject({
      status: "rejected",
      decisionReason: "No.",
    });
  } finally {
    await served.close();
  }
});
