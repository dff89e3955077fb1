import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { ModelConfig } from "../../src/delivery/models/model-entry.ts";
import { charterMeanwhile, createFolder, type Folder } from "../cli.ts";
import { type ModelServerOptions, modelServers, startModelServer } from "../delivery/model-servers.ts";

const page = readFileSync(join(resolve(import.meta.dirname, "../../.."), "docs/models.md"), "utf8");
const key = "sk-loopback-0123456789";

const opened: { remove?: () => void; close?: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) {
    one.remove?.();
    await one.close?.();
  }
});

/** The block of a server in docs/models.md: the name in it, and the entry. */
function blockOf(heading: string): readonly [name: string, entry: ModelConfig] {
  const [, block = ""] =
    new RegExp(`^### ${heading.replace(".", "\\.")}\n+\`\`\`json\n([\\s\\S]*?)^\`\`\``, "m").exec(page) ?? [];
  const [found] = Object.entries(JSON.parse(block) as Record<string, ModelConfig>);
  return found as readonly [string, ModelConfig];
}

type Stage = { readonly folder: Folder; readonly run: (...args: string[]) => ReturnType<typeof charterMeanwhile> };

/** A folder with that block as its models.json, the address replaced by the loopback's, and trusted. */
async function stageFor(
  heading: string,
  provider: ModelServerOptions["provider"],
  more: Partial<ModelServerOptions> = {},
) {
  const [name, entry] = blockOf(heading);
  const { key: named } = entry;
  const server = await startModelServer({
    ...{ provider, window: 32_768, served: entry.model ?? name, truncates: true },
    ...(named === undefined ? {} : { key }),
    ...more,
  });
  // Of an address only where it is changes; a provider's own has its usual path.
  const base = entry.base === undefined ? server.url : `${server.url}${new URL(entry.base).pathname}`;
  const api = entry.base?.includes(":11434")
    ? { api: "ollama" }
    : entry.base?.includes("openrouter")
      ? { api: "openrouter" }
      : {};
  const home = createFolder();
  const folder = createFolder({ "models.json": JSON.stringify({ [name]: { ...entry, ...api, base } }) });
  const variable = typeof named === "string" ? { [named.slice(1)]: key } : {};
  const run: Stage["run"] = (...args) =>
    charterMeanwhile(args, { cwd: folder.path, env: { HOME: home.path, NO_COLOR: "1", ...variable } });
  opened.push(folder, home, server);
  expect((await run("trust")).code).toBe(0);
  return { name, server, run };
}

describe.each(modelServers)("%s, as docs/models.md says it", (heading, provider) => {
  test("takes a turn, and doctor --models finds nothing wrong", async () => {
    const { name, server, run } = await stageFor(heading, provider);
    const turn = await run("chat", "--json", "Hello");
    expect([turn.code, JSON.parse(turn.stdout).reply]).toEqual([0, "All right."]);
    const doctor = await run("doctor", "--models", "--json");
    const { fine, checks } = JSON.parse(doctor.stdout) as { fine: boolean; checks: { what: string; fine: boolean }[] };
    expect(checks.filter((one) => !one.fine)).toEqual([]);
    expect([doctor.code, fine]).toEqual([0, true]);
    const told = checks.map(({ what }) => what.replaceAll(server.url, "http://there"));
    expect(told.find((what) => what.endsWith(" answers."))).toMatch(
      new RegExp(`^“${name}” at http://there\\S* answers\\.$`),
    );
  });
});

test("what is wrong is told in words that say what to do, and no key is in them", async () => {
  const { run } = await stageFor("vLLM", "vllm", { key: "sk-another-key-0123" });
  const doctor = await run("doctor", "--models");
  expect(doctor.code).toBe(1);
  expect(doctor.stderr).toContain("Every model is asked for one word.");
  expect(doctor.stdout).toContain(
    "look  “local”: the server refuses the key (401): Unauthorized\n      Check VLLM_API_KEY: is it the key of this server, whole and not withdrawn?\n",
  );
  expect(doctor.stdout).not.toContain(key);
});

test("a limit in dollars and no price: said at the start, with the place to set it, and by doctor", async () => {
  const { run } = await stageFor("LM Studio", "lm-studio");
  const words =
    "may cost $1 a day, and the price of “local” is not known: its turns are refused. Set it under “models” in charter.config.ts or in models.json";
  const folder = opened[0] as Folder;
  folder.write("charter.config.mjs", "export default { limits: { userDollarsPerDay: 1 } };");
  await run("trust");
  await run("agents", "add", "ada", "--charter", "assistant");
  for (const asked of [["doctor"], ["doctor", "--models"]]) {
    const doctor = await run(...asked);
    expect([doctor.code, doctor.stdout.replaceAll("\n      ", " ")]).toEqual([1, expect.stringContaining(words)]);
  }
});
