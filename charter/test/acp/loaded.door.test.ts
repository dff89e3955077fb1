import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { command } from "../cli.ts";
import { loadedBy } from "../loaded-by.ts";

const packages = (urls: readonly string[]) =>
  urls.filter((url) => /@agentclientprotocol\/|@modelcontextprotocol\//.test(url)).length;
const entry = (urls: readonly string[]) => urls.filter((url) => url.endsWith("/src/cli/main.ts")).length;
const peer = new URL("../../src/delivery/acp/peer.ts", import.meta.url).href;
const load = new URL("../../src/packages/load-package.ts", import.meta.url).href;

test("neither the command's help nor a service without such an agent loads a package of ACP or MCP", async () => {
  const folder = mkdtempSync(join(tmpdir(), "charter-loaded-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = { cwd: folder, env: { HOME: folder } };
  const wants = `await import("${peer}");
    const { loadPackage } = await import("${load}");
    await loadPackage("@agentclientprotocol/sdk/unstable", { purpose: "A test" });`;
  const [help, service, wanted] = await Promise.all([
    loadedBy([command, "--help"], place),
    loadedBy([command, "start", "--no-open", "--port", "0", "--json"], { ...place, serves: true }),
    loadedBy(["--input-type=module", "-e", wants]),
  ]);
  expect({ help: [entry(help), packages(help)], service: [entry(service), packages(service)] }).toEqual({
    help: [1, 0],
    service: [1, 0],
  });
  expect(packages(wanted)).toBeGreaterThan(0);
});
