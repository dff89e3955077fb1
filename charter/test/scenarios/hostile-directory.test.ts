import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { charterMeanwhile } from "../cli.ts";
import {
  attackerUrl,
  bring,
  env,
  files,
  folder,
  home,
  key,
  type Name,
  ran,
  received,
  setUpStranger,
  word,
} from "./hostile-stage.ts";

/** What a stranger's directory does through the command: nothing, before it is trusted. */

setUpStranger();

const run = (args: readonly string[], cwd = folder.path, stdin = "") =>
  charterMeanwhile(args, { cwd, stdin, env: env() });

const askers: readonly (readonly string[])[] = [
  ["chat", "--model", "openai-chat/gpt-5", word],
  ["start", "--no-open", "--port", "0"],
  ["serve", "--host", "127.0.0.1", "--port", "0"],
  ["work"],
];

describe("before anyone has trusted it, nothing leaves and nothing runs", () => {
  for (const names of [["charter.config.ts"], ["models.json"], [".env", "models.json", "charter.config.ts"]] as const)
    for (const args of askers)
      test(`${names.join(", ")}: charter ${args[0]} refuses`, async () => {
        bring(...names);
        const { code, stdout, stderr } = await run(args);
        expect([code, stdout]).toEqual([2, ""]);
        expect(stderr.split("\n")[0]).toMatch(/^config-untrusted: .* not used: the directory is not trusted\.$/);
        for (const name of names) expect(stderr).toContain(name);
        expect(stderr).toContain("charter trust");
        expect([received, ran(), existsSync(join(folder.path, "theirs.db"))]).toEqual([[], false, false]);
      });

  test("commands that ask no model go on, and run nothing of it", async () => {
    bring(".env", "models.json", "charter.config.ts");
    expect((await run(["agents", "add", "ada", "--charter", "assistant"])).code).toBe(0);
    for (const args of [["agents"], ["history", "instructions", "--agent", "ada"], ["turns"], ["doctor"], ["verify"]])
      expect(await run(args)).toMatchObject({ stderr: expect.not.stringContaining("config-untrusted") });
    const { stdout } = await run(["doctor"]);
    expect(stdout).toContain("“charter.config.ts”, “models.json”, “.env” in");
    expect([received, ran(), existsSync(join(folder.path, "theirs.db"))]).toEqual([[], false, false]);
  });

  test("a .env alone is left out, which is said; one for other programs is nobody's business", async () => {
    bring(".env");
    const { code, stdout, stderr } = await run(["chat", "--model", "stand-in", word]);
    expect([code, stdout.startsWith("(stand-in model)")]).toEqual([0, true]);
    expect(stderr).toContain("notice: env-untrusted: “.env” in");
    folder.write(".env", "DATABASE_URL=postgres://x\nPORT=1\n");
    expect((await run(["chat", "--model", "stand-in", word])).stderr).not.toContain(".env");
    expect([received, ran(), existsSync(join(folder.path, "theirs.db"))]).toEqual([[], false, false]);
  });

  test("whoever says --no-trust goes on without, and a configuration that is named is the person's own word", async () => {
    bring(".env", "models.json", "charter.config.ts");
    const { code, stdout } = await run(["chat", "--no-trust", "--model", "stand-in", word]);
    expect([code, stdout.startsWith("(stand-in model)"), received, ran()]).toEqual([0, true, [], false]);
    home.write("own/charter.config.mjs", "export default { host: 'nowhere' };\n");
    const { stderr } = await run(["start", "--settings", join(home.path, "own/charter.config.mjs"), "--no-open"]);
    expect(stderr).toContain("the host is nowhere");
    expect([received, ran()]).toEqual([[], false]);
    home.write("own/.env", "CHARTER_HOST=elsewhere\n");
    const beside = await run(["start", "--settings", join(home.path, "own/charter.config.mjs"), "--no-open"]);
    expect(beside.stderr).toContain("the host is elsewhere");
  });

  test("chat finds the settings that are named from any folder, and the database of the .env beside them", async () => {
    bring(".env", "models.json", "charter.config.ts");
    const database = join(home.path, "own.db");
    home.write("own/charter.config.mjs", "process.stderr.write('MINE');\nexport default {};\n");
    home.write("own/.env", `CHARTER_DATABASE=${database}\n`);
    const settings = ["--settings", join(home.path, "own/charter.config.mjs")];
    const { code, stderr } = await run(["chat", ...settings, "--model", "stand-in", word]);
    expect([code, stderr.includes("MINE"), existsSync(database)]).toEqual([0, true, true]);
    expect([received, ran()]).toEqual([[], false]);
  });

  test("in a directory below it nothing of it is read; through a link it is the same directory", async () => {
    bring(".env", "models.json", "charter.config.ts");
    mkdirSync(join(folder.path, "below"));
    const below = await run(["chat", "--model", "stand-in", word], join(folder.path, "below"));
    expect([below.code, below.stderr.includes("untrusted")]).toEqual([0, false]);
    await run(["trust"]);
    const link = join(home.path, "link");
    symlinkSync(folder.path, link);
    expect((await run(["trust"], link)).stdout).toContain(`${realpathSync(folder.path)} is trusted already.`);
    const [config, elsewhere] = [join(folder.path, "charter.config.ts"), join(home.path, "elsewhere.ts")];
    writeFileSync(elsewhere, readFileSync(config));
    rmSync(config);
    symlinkSync(elsewhere, config);
    // The same words, but what they import is found elsewhere now.
    expect((await run(["work"])).stderr).toContain("(changed, new or gone: “../");
    expect([received, ran()]).toEqual([[], false]);
  });
});

describe("once it is trusted", () => {
  test("charter trust lists the files, and they count: the address and the database of the .env", async () => {
    bring(".env");
    const { stdout } = await run(["trust"]);
    expect(stdout).toContain(join(realpathSync(folder.path), ".env"));
    const answer = await run(["chat", "--json", "--model", "openai-chat/gpt-5", word]);
    expect(answer.code).toBe(0);
    expect(received.at(-1)).toBe(`POST /v1/chat/completions Bearer ${key}`);
    expect([ran(), existsSync(join(folder.path, "theirs.db"))]).toEqual([false, true]);
    expect((await run(["turns", "--json"])).stdout).toContain(word);
  });

  test("models.json counts from then on, with the key that it names", async () => {
    bring("models.json");
    await run(["trust"]);
    const { code, stdout } = await run(["chat", "--model", "openai-chat/gpt-5", word]);
    expect([code, stdout.trim(), received.at(-1)]).toEqual([0, "I answer.", `POST /v1/chat/completions Bearer ${key}`]);
  });

  test("a file that changes, or one that it imports, or a new one, has to be trusted again", async () => {
    bring(".env", "charter.config.ts");
    await run(["trust"]);
    const changes: [Name | "more.ts", string][] = [
      [".env", `${files[".env"]()}X=1\n`],
      ["charter.config.ts", `${files["charter.config.ts"]()}// more\n`],
      ["more.ts", "export const more = 2;\n"],
      ["models.json", "{}"],
    ];
    for (const [name, text] of changes) {
      folder.write(name, text);
      const { code, stderr } = await run(["chat", "--model", "openai-chat/gpt-5", word]);
      expect([code, stderr.split(":")[0]]).toEqual([2, "config-untrusted"]);
      expect(stderr).toContain(name === "models.json" ? "it was not there when" : `(changed, new or gone: “${name}”)`);
      await run(["trust"]);
    }
    expect([received, ran()]).toEqual([[], false]);
  });

  test("the environment wins over the .env, and nothing that is started inherits it", async () => {
    folder.write(".env", `OPENAI_BASE_URL=http://127.0.0.1:9/v1\nCHARTER_MODEL=x\nSECRET_OF_ENV=1\n`);
    await run(["trust"]);
    const more = { ...env(), OPENAI_BASE_URL: `${attackerUrl()}/v1` };
    const cwd = folder.path;
    const answer = await charterMeanwhile(["chat", "--model", "openai-chat/gpt-5", word], { cwd, env: more });
    expect([answer.code, received.at(-1)]).toEqual([0, `POST /v1/chat/completions Bearer ${key}`]);
    const coder = await run(["chat", "--charter", "coder", "--model", "stand-in", "run env | grep -c SECRET_OF_ENV"]);
    expect(coder.stdout).not.toMatch(/^1$/m);
  });
});
