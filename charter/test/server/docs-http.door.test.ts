import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHost } from "../../src/host/create-host.ts";
import { allRoutes, createApi } from "../../src/server/app.ts";
import { type ListeningServer, listen } from "../../src/server/listen.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { scripted } from "../agent/model.ts";
import { newFile, type Place } from "../homes.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/http.md"), "utf8");
const blocks = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map((block) => block[1] as string);

let place: Place;
let store: Store;
let server: ListeningServer;
let env: Record<string, string>;

/** A server whose clock stands still; what it makes up anew each time (ids, secrets, codes) is not compared. */
beforeAll(async () => {
  place = await newFile();
  const clock = () => new Date("2026-02-18T12:00:00Z");
  store = await createStore(place.open(), { now: clock });
  await store.agents.add({ name: "ada", charter: "assistant" });
  await store.agents.add({ name: "sol", charter: "sovereign" });
  const operator = await store.tokens.create({ name: "operator", kind: "operator" });
  const bo = await store.tokens.create({ name: "bo", kind: "user", user: "bo" });
  const kiosk = await store.tokens.create({ name: "kiosk", kind: "inbox", agent: "sol" });
  const flow = await store.tokens.create({ name: "flow", kind: "agent", agent: "ada", user: "bo" });
  const host = createHost({ store, clock, env: {}, loadModel: async () => scripted(["Bonjour !"]) });
  const linkUrl = ({ code }: { code: string }) => `https://t.me/ada_bot?start=${code}`;
  const app = createApi({
    host,
    operator: "operator",
    routes: allRoutes,
    clock,
    linkUrl,
    url: "http://127.0.0.1:4747",
  });
  server = await listen(app, { port: 0 });
  const secrets = { TOKEN: operator.secret, BO: bo.secret, KIOSK: kiosk.secret, FLOW: flow.secret };
  env = { CHARTER: `${server.url}/api`, ...secrets, PATH: process.env.PATH ?? "" };
});
afterAll(async () => {
  await server.close(0);
  await store.close();
  await place.remove();
});

function alike(text: string): string {
  return text
    .replace(/\b0[a-z0-9]{16}\b/g, "<id>")
    .replace(/charter_[\w-]{43}/g, "<secret>")
    .replace(/\b[0-9a-f]{64}\b/g, "<digest>")
    .replace(/("code":"|start=)[0-9A-Z]{8}\b/g, "$1<code>");
}

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

async function run(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)("bash", ["-c", command], { env });
  return stdout.trimEnd();
}

test.skipIf(!hasCurl)("docs/http.md shows what really happens, command by command", async () => {
  expect(blocks.length).toBeGreaterThan(4);
  for (const block of blocks)
    for (const shown of block.split(/^\$ /m).slice(1)) {
      const [command = "", ...said] = shown.trimEnd().split("\n");
      expect([command, alike(await run(command))]).toEqual([command, alike(said.join("\n"))]);
    }
});
