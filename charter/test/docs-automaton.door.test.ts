import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bareEnvironment, createFolder, quickNpx } from "./cli.ts";
import { eventually } from "./eventually.ts";
import { fetchedPackage, root } from "./fetched-package.ts";

/** The ten lines of docs/automaton.md, typed as they stand there: an agent that lives, and two who write to it. */

const page = readFileSync(join(root, "docs/automaton.md"), "utf8");
const chapter = page.slice(page.indexOf("## From nothing"), page.indexOf("## Who is who"));
const [setUp = "", write = "", sign = "", look = ""] = [...chapter.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(
  (block) => block[1] as string,
);

const wallet = {
  name: "ethers",
  version: "6.13.4",
  integrity: "21YtnZVg4/zKkCQPjrDj38B1r4nQvTZLopUGMLQ1ePU2zV/joCfDC3t3iKQjWRzjjjbzR+mdAIoikeBRNkdllA==",
};

/** A folder as it is after `npm install ethers`: the file of that package that needs no other. */
async function installEthers(folder: string): Promise<void> {
  const place = join(folder, "node_modules/ethers");
  mkdirSync(place, { recursive: true });
  copyFileSync(join(await fetchedPackage(wallet), "dist/ethers.min.js"), join(place, "index.js"));
  writeFileSync(join(place, "package.json"), '{ "name": "ethers", "type": "module", "exports": "./index.js" }');
}

test("from nothing: two messages, by a token and by a signature, and both replies", async () => {
  const folder = createFolder();
  const PATH = [quickNpx(), dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = {
    ...bareEnvironment(),
    ...{ PATH, NO_COLOR: "1", CHARTER_DATABASE: join(folder.path, "charter.db"), CHARTER_PORT: "0" },
  };
  const shell = async (words: string) =>
    (await promisify(execFile)("bash", ["-euc", words], { cwd: folder.path, env })).stdout;
  const commands = setUp.trim().split("\n");
  expect(commands.at(-1)).toBe("npm start");
  await shell(commands.slice(0, -1).join("\n"));
  // The clone's own folder stays as it is: the config lies where the database does.
  const started = spawn("npm", ["start", "--", "--settings", join(folder.path, "charter.config.ts"), "--no-open"], {
    ...{ cwd: root, env, detached: true, stdio: ["ignore", "pipe", "inherit"] },
  });
  const ended = once(started, "exit");
  try {
    const base = await new Promise<string>((resolve, reject) => {
      void ended.then(([code]) => reject(new Error(`npm start ended with ${code}.`)));
      createInterface({ input: started.stdout }).on("line", (line) => {
        const found = /(http:\/\/[\d.:]+)\/sign-in#/.exec(line)?.[1];
        if (found) resolve(found);
      });
    });
    const here = (words: string) => words.replaceAll("http://127.0.0.1:4747", base);

    const [token, post, ...read] = here(write)
      .trim()
      .split(/\n(?! )/) as [string, string, string];
    const TOKEN = (await shell(`${token}\necho $TOKEN`)).trim();
    const asShop = async (words: string) => JSON.parse(await shell(`TOKEN=${TOKEN}\n${words}`));
    expect(await asShop(post)).toMatchObject({ id: "m1", sender: "shop/bo", status: "waiting" });
    await eventually(async () => (await asShop(read.join("\n"))).status === "answered");
    expect((await asShop(read.join("\n"))).reply).toMatchObject({ to: "shop/bo", body: expect.stringMatching(/\S/) });

    await installEthers(folder.path);
    folder.write("sign.mjs", here(sign));
    expect(await shell("node sign.mjs")).toMatch(/^0x[0-9a-f]{40} \S/);

    const shown = await shell(look);
    expect(shown).toMatch(/ 0x[0-9a-f]{40} [\s\S]* shop\/bo /);
    expect(shown).toMatch(/^tier +Normal$/m);
    expect(shown).toMatch(/^waiting +0 messages$/m);
    expect(shown).toMatch(/ Persisting +Idle +turn-finished /);
  } finally {
    process.kill(-(started.pid as number), "SIGTERM");
    await ended;
    folder.remove();
  }
});
