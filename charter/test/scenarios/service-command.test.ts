import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { charter, createFolder, type Folder } from "../cli.ts";

let folder: Folder;
beforeAll(() => {
  folder = createFolder({
    "odd.config.ts": "export default { prot: 1 };\n",
    "broken.config.ts": "throw new Error('no');\n",
  });
  folder.charter(["agents", "add", "ada", "--charter", "assistant"]);
});
afterAll(() => folder.remove());

const json = (...args: string[]) => folder.charter([...args, "--json"]).json() as Record<string, string>;

describe("charter tokens", () => {
  test("prints a token once, alone on standard output, and keeps only its digest", () => {
    const { stdout, stderr, code } = folder.charter(["tokens", "create", "--user", "bo", "--name", "bo's phone"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^charter_[\w-]{43}\n$/)]);
    expect(stderr).toContain("This is the one time it is shown.");
    const listed = folder.charter(["tokens"]).stdout;
    expect(listed).toMatch(/user +bo +– +bo's phone +not used yet/);
    expect(listed).not.toContain(stdout.trim());
  });

  test("makes each kind, ends by itself after so many days, and is revoked", () => {
    expect(json("tokens", "create", "--operator")).toMatchObject({ kind: "operator", user: null, agent: null });
    expect(json("tokens", "create", "--user", "bo", "--agent", "ada")).toMatchObject({ kind: "user", agent: "ada" });
    expect(json("tokens", "create", "--agent", "ada")).toMatchObject({ kind: "agent", user: null });
    const short = json("tokens", "create", "--kind", "agent", "--agent", "ada", "--user", "bo", "--days", "2");
    expect(short).toMatchObject({ kind: "agent", agent: "ada", user: "bo", expiresAt: expect.any(String) });
    expect(folder.charter(["tokens", "revoke", short.id as string]).stdout).toBe(`“${short.id}” is revoked.\n`);
    expect(folder.charter(["tokens", "revoke", short.id as string])).toMatchObject({ code: 2 });
    expect(json("tokens", "sign-in", "--url", "https://x.example/")).toEqual({
      url: expect.stringMatching(/^https:\/\/x\.example\/sign-in#charter_/),
      expiresAt: expect.any(String),
    });
    const { stdout, stderr } = folder.charter(["tokens", "sign-in", "--user", "bo", "--agent", "ada"]);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:4747\/chat#charter_[\w-]{43}\n$/);
    expect(stderr).toBe("It signs one person in as “bo”, with the agent “ada”, once, within ten minutes.\n");
    expect(folder.charter(["tokens"]).stdout).toMatch(/sign-in +bo +ada +sign-in link +not used yet/);
  });

  test("a link begins with the address of the configuration here, once that is trusted", () => {
    const here = createFolder({ "charter.config.ts": 'export default { url: "https://ada.example/" };\n' });
    const run = (args: string[], env: Record<string, string> = {}) =>
      charter(args, { cwd: here.path, env: { HOME: join(here.path, "home"), ...env } });
    run(["agents", "add", "ada", "--charter", "assistant"]);
    const link = (env?: Record<string, string>) => run(["tokens", "sign-in", "--user", "bo"], env);
    const { stdout, stderr } = link();
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:4747\/chat#charter_/);
    expect(stderr).toMatch(
      /^notice: config-untrusted: “charter\.config\.ts” in .* says where the server is, and is not/,
    );
    expect(run(["trust"]).code).toBe(0);
    expect(link().stdout).toMatch(/^https:\/\/ada\.example\/chat#charter_/);
    expect(link({ CHARTER_URL: "https://bo.example" }).stdout).toMatch(/^https:\/\/bo\.example\/chat#charter_/);
    here.remove();
  });

  const wrong: [args: string[], said: string][] = [
    [["tokens", "create"], "It was not said who the token is for."],
    [["tokens", "create", "--operator", "--user", "bo"], "A token of kind “operator” is for no user."],
    [
      ["tokens", "create", "--kind", "king"],
      "--kind must be “operator”, “user”, “agent”, “inbox” or “gateway”, and is “king”.",
    ],
    [["tokens", "create", "--agent", "eve"], "There is no agent “eve”."],
    [["tokens", "create", "--user", "bo", "--days", "0"], "A token cannot last 0 days."],
    [["tokens", "sign-in", "--user", "bo", "--agent", "eve"], "There is no agent “eve”."],
    [["tokens", "burn"], "charter tokens does not understand “burn”."],
    [
      ["schedules", "add", "--agent", "ada", "--cron", "0 8 * * *"],
      "charter schedules add needs the input of the turn.",
    ],
    [["schedules", "add", "--agent", "ada", "--cron", "daily", "Hello."], "The cron line “daily” has not five fields"],
    [["schedules", "add", "--agent", "ada", "--at", "2020-01-01T00:00:00Z", "Hello."], "which is past"],
    [["schedules", "cancel", "x"], "There is no schedule “x” here."],
    [["serve"], "charter serve needs to know where to listen."],
    [["start", "--settings", "none.ts"], "There is no configuration file at none.ts."],
    [["start", "--settings", "odd.config.ts"], "odd.config.ts sets “prot”, which is not a setting."],
    [["start", "--settings", "broken.config.ts"], "The configuration file at broken.config.ts could not be loaded: no"],
    [["start", "--port", "high"], "“high” is no port."],
    [["start", "now"], "charter start"],
  ];
  for (const [args, said] of wrong)
    test(`charter ${args.join(" ")}: says what is wrong, without a stack`, () => {
      const { code, stdout, stderr } = folder.charter(args);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(said);
      expect(stderr).not.toMatch(/\n\s+at /);
    });
});

describe("charter users and schedules", () => {
  test("someone is set up, and gets a code for their chat", () => {
    expect(folder.charter(["users", "create", "bo", "--zone", "Asia/Kolkata"]).stdout).toBe(
      "The time zone of “bo” is Asia/Kolkata.\n",
    );
    expect(json("users", "link", "bo", "--agent", "ada")).toEqual({
      code: expect.stringMatching(/^[0-9A-Z]{8}$/),
      expiresAt: expect.any(String),
    });
  });

  test("a schedule is added in the user's own time, listed, and cancelled", () => {
    const added = json("schedules", "add", "--agent", "ada", "--user", "bo", "--cron", "30 8 * * *", "Good morning?");
    expect(added).toMatchObject({ title: "Good morning?", cron: "30 8 * * *", missed: "once", overlap: "skip" });
    expect(String(added.nextAt)).toMatch(/T03:00:00\.000Z$/);
    expect(folder.charter(["schedules", "--user", "bo", "--agent", "ada"]).stdout).toContain("30 8 * * *");
    expect(folder.charter(["schedules", "cancel", added.id as string]).stdout).toBe(`“${added.id}” is cancelled.\n`);
    expect(folder.charter(["schedules"]).stdout).toContain("Nothing is scheduled here.");
    expect(folder.charter(["schedules", "runs"]).stdout).toBe("Nothing has run here yet.\n");
  });
});

describe("charter start, serve and work", () => {
  test("a port that is taken is named", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const { code, stderr } = folder.charter(["start", "--no-open", "--port", String(port)]);
    other.close();
    expect([code, stderr]).toEqual([2, expect.stringContaining(`port-taken: `)]);
  });

  test("is for this machine alone", () => {
    folder.write("open.config.ts", 'export default { host: "0.0.0.0" };\n');
    const { code, stderr } = folder.charter(["start", "--settings", "open.config.ts"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("For others to reach it: charter serve --host …")]);
  });
});
