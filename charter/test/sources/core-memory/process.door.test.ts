import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { command } from "../../cli.ts";
import { loadedBy } from "../../loaded-by.ts";
import { startNastyRelay } from "../../relays/nasty-relay.ts";

const node = promisify(execFile);

const nostr = new URL("../../../src/sources/core-memory/memory-key.ts", import.meta.url).href;

test("the command's help loads nothing of Nostr, which whoever wants it does", async () => {
  const help = await loadedBy([command, "--help"]);
  const wanted = await loadedBy(["--input-type=module", "-e", `await (await import("${nostr}")).loadNostr();`]);
  const ofNostr = (urls: readonly string[]) =>
    urls.filter((url) => /nostr-tools|node_modules\/ws\/|core-memory\/(?:relay-client|websocket)/.test(url)).length;
  expect(help.filter((url) => url.endsWith("/src/cli/main.ts"))).toHaveLength(1);
  expect({ help: ofNostr(help), wanted: ofNostr(wanted) > 0 }).toEqual({ help: 0, wanted: true });
});

test("a process ends by itself after relays were late, in whatever they were late", async () => {
  const scripts = [{ status: 0 }, {}, { connected: ({ raw }: { raw: (text: string) => void }) => raw("hm") }];
  const relays = await Promise.all(scripts.map((script) => startNastyRelay(script)));
  const urls = relays.flatMap(({ url }) => [url, url.replace("ws:", "http:")]);
  const relay = (file: string) => new URL(`../../relays/${file}`, import.meta.url).href;
  const read = new URL("../../../src/sources/core-memory/read-memory.ts", import.meta.url).href;
  const program = `
    const { newAgent } = await import("${relay("agent.ts")}");
    const { readMemory } = await import("${read}");
    const found = await readMemory({ ...(await newAgent()), relays: ${JSON.stringify(urls)}, slug: "core", timeoutMs: 50 });
    console.log(found.status);
  `;
  const { stdout } = await node(process.execPath, ["--input-type=module", "-e", program]);
  await Promise.all(relays.map(({ stop }) => stop()));
  expect(stdout).toBe("unavailable\n");
});
