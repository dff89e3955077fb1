import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { command } from "../cli.ts";
import { loadedBy } from "../loaded-by.ts";

/** Without what says whether there is one: its settings, and what the store knows of it. */
const ofChain = (urls: readonly string[]) =>
  urls
    .filter((url) => /\/node_modules\/viem\/|\/channels\/chain\/(?!chain-(?:config|status)\.ts)/.test(url))
    .map((url) => url.replace(/^.*\//, ""));
const entry = (urls: readonly string[]) => urls.filter((url) => url.endsWith("/src/cli/main.ts")).length;

test("neither the command's help nor a service without a chain loads viem, or anything of the chain", async () => {
  const folder = mkdtempSync(join(tmpdir(), "charter-loaded-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = { cwd: folder, env: { HOME: folder, CHARTER_DATABASE: join(folder, "charter.db") } };
  await loadedBy([command, "agents", "add", "sol", "--charter", "sovereign"], place);
  const start = [command, "start", "--no-open", "--port", "0", "--json"];
  const [help, service] = await Promise.all([
    loadedBy([command, "--help"], place),
    loadedBy(start, { ...place, env: { ...place.env, CHARTER_AUTOMATON: "sol" }, serves: true }),
  ]);
  expect({ help: [entry(help), ofChain(help)], service: [entry(service), ofChain(service)] }).toEqual({
    help: [1, []],
    service: [1, []],
  });
  // An agent that lives by itself was really there.
  expect(service.filter((url) => url.endsWith("/channels/automaton/automaton.ts"))).toHaveLength(1);
});
