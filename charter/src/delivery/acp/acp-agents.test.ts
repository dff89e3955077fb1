import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inProcess } from "../../../test/acp/in-process.ts";
import { createAcpAgents } from "./acp-agents.ts";

/** The environment that an agent is started with, where this is ours. */
async function environmentOf(env: Readonly<Record<string, string>>, ours: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(tmpdir(), "charter-acp-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const seen: object[] = [];
  const quits = inProcess(({ exit }) => {
    exit(0);
    return () => {};
  });
  const agents = createAcpAgents({
    entries: { one: { command: [process.execPath], env } },
    home,
    env: ours,
    start: (options) => {
      seen.push(options.env);
      return quits(options);
    },
  });
  const { signal } = new AbortController();
  await agents.model("one").prepare?.({ id: "s", agent: "ada", operator: false }, { signal });
  await agents.close();
  return seen;
}

test("an agent is started with our PATH and what its entry gives it, and with nothing else of ours", async () => {
  const ours = { PATH: "/usr/bin", HOME: "/home/us", ANTHROPIC_API_KEY: "sk-ours" };
  expect(await environmentOf({ LANG: "C" }, ours)).toEqual([{ PATH: "/usr/bin", LANG: "C" }]);
  expect(await environmentOf({ PATH: "/bin" }, ours)).toEqual([{ PATH: "/bin" }]);
});
