import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startNpm } from "./chain/npm-process.ts";
import { bareEnvironment, createFolder, quickNpx } from "./cli.ts";
import { eventually } from "./eventually.ts";
import { root } from "./fetched-package.ts";

/** The ten lines of docs/chain.md, typed as they stand there: a chain, an agent on it, a message and its reply. */

const page = readFileSync(join(root, "docs/chain.md"), "utf8");
const chapter = page.slice(page.indexOf("## From nothing"), page.indexOf("## The contract"));
const [setUp = [], live = [], write = []] = [...chapter.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((block) =>
  (block[1] as string).trim().split("\n"),
);

test("from nothing: a chain, a posted transaction, and the reply to it on the chain", async () => {
  expect([...setUp, ...live, ...write].length).toBeLessThanOrEqual(10);
  const folder = createFolder();
  const PATH = [quickNpx(), dirname(process.execPath), process.env.PATH].join(delimiter);
  const place = { CHARTER_DATABASE: join(folder.path, "charter.db"), CHARTER_PORT: "0" };
  const env = { ...bareEnvironment(), ...place, PATH, NO_COLOR: "1" };
  const shell = async (words: string, cwd: string) =>
    (await promisify(execFile)("bash", ["-euc", words], { cwd, env })).stdout;

  // The first command is one of npm: it installs what the others need.
  expect([setUp, live.at(-1)]).toEqual([["npm run chain"], "npm start"]);
  const chain = startNpm(["run", "chain", "--", "--port", "0"]);
  let service: ReturnType<typeof startNpm> | undefined;
  try {
    const [, port] = await chain.says(/listens on http:\/\/127\.0\.0\.1:(\d+)[\s\S]*replies\n/);
    // On the port that this chain has; and the clone's own folder stays as it is.
    const config = join(folder.path, "charter.config.ts");
    const here = (words: string) =>
      words.replace("run -s chain --", `run -s chain -- --port ${port}`).replace("charter.config.ts", config);
    const commands = live.slice(0, -1);
    await shell(commands.filter((words) => words.startsWith("npx ")).join("\n"), folder.path);
    for (const words of commands.filter((one) => !one.startsWith("npx "))) await shell(here(words), root);
    service = startNpm(["start", "--", "--settings", config, "--no-open"], { env: place });
    await service.says(/(http:\/\/[\d.:]+)\/sign-in#/);

    const [post, replies, status] = write.map(here) as [string, string, string];
    expect(await shell(post, root)).toMatch(/^Posted by 0x\w{40}, who paid 0\.001 ETH\.\n0x\w{64}\n$/);
    await eventually(async () => !/no reply yet/.test(await shell(replies, root)));
    expect(await shell(replies, root)).toMatch(/^0x\w{40}: "Are you open\?"\n {2}reply: ".*\S.*"\n$/);
    const shown = await shell(status, folder.path);
    expect(shown).toMatch(/^waiting +0 messages$/m);
  } finally {
    await service?.end("SIGTERM");
    await chain.end();
    folder.remove();
  }
});
