import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHost } from "../../../src/host/create-host.ts";
import type { Host } from "../../../src/host/host.ts";
import { allRoutes, createApi } from "../../../src/server/app.ts";
import { type ListeningServer, listen } from "../../../src/server/listen.ts";
import { type Core, newCore } from "../core/core-stage.ts";

const root = resolve(import.meta.dirname, "../../../..");
const page = readFileSync(join(root, "docs/chat-clients.md"), "utf8");
const blocks = (language: string) =>
  [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, of, code]) =>
    of === language ? [code as string] : [],
  );

describe("docs/chat-clients.md", () => {
  let core: Core;
  let server: ListeningServer;
  let host: Host;
  const folder = mkdtempSync(join(tmpdir(), "charter-clients-"));

  beforeAll(async () => {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    core = await newCore();
    await core.store.agents.add({ name: "ada", charter: "assistant", model: null, settings: {} });
    host = createHost({ store: core.store, clock: core.now, env: {} });
    server = await listen(createApi({ host, operator: "boss", routes: allRoutes }), { port: 0 });
  });
  afterAll(async () => {
    await server.close(0);
    await host.close(0);
    await core.close();
    rmSync(folder, { recursive: true });
  });

  async function run(program: string, ...args: string[]): Promise<string> {
    const env = { PATH: process.env.PATH, CHARTER_URL: server.url, CHARTER_TOKEN: core.tokens.ada };
    return (await promisify(execFile)(program, args, { cwd: folder, env })).stdout;
  }

  test.skipIf(spawnSync("curl", ["--version"]).status !== 0)(
    "its curl lines answer: JSON, a stream, the record",
    async () => {
      const [json = "", stream = "", record = "", ...others] = blocks("bash");
      expect(others).toEqual([]);
      expect(JSON.parse(await run("bash", "-c", json))).toMatchObject({ state: "answered", steps: 2 });
      expect(await run("bash", "-c", stream)).toMatch(/^data: \{"type":"start",[\s\S]*\n\ndata: \[DONE\]\n\n$/);
      expect(JSON.parse(await run("bash", "-c", record))).toMatchObject({ turns: [{ input: "hello" }], more: true });
    },
  );

  test("its programs run: several messages are one conversation", async () => {
    const [chat = "", long = "", ...others] = blocks("ts");
    expect(others).toEqual([]);
    for (const [name, code] of Object.entries({ chat, long })) writeFileSync(join(folder, `${name}.ts`), code);
    const said = await run(process.execPath, "chat.ts");
    expect(said).toContain("user: What do you remember?\nassistant: ");
    expect(said.split("What do you remember?")[1]).toContain("Ida");
    await run(process.execPath, "long.ts");
  });
});
