import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFolder, type Folder } from "../cli.ts";

const fifty = Array.from({ length: 50 }, (_, place) => `person-${place + 1},p${place + 1}@example.com`);

let folder: Folder;
beforeAll(() => {
  folder = createFolder({
    "people.csv": `user,email\n${fifty.join("\n")}\n`,
    "bad.csv": "user,zone\nann,\n,Europe/Berlin\nbo,Mars/Base\n",
  });
  folder.charter(["agents", "add", "ada", "--charter", "assistant"]);
});
afterAll(() => folder.remove());

const states = () => {
  const { invitations } = folder.charter(["users", "invitations", "--limit", "100", "--json"]).json() as {
    invitations: { user: string; state: string }[];
  };
  return invitations;
};

test("the page about fifty people is done as it is written", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../../docs/users-page.md"), "utf8");
  const [, section = ""] = /^### By a list\n([\s\S]*?)^### /m.exec(page) ?? [];
  const [list = "", commands = ""] = [...section.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(
    ([, text]) => text as string,
  );
  const here = createFolder({ "people.csv": list });
  here.charter(["agents", "add", "ada", "--charter", "assistant"]);
  for (const line of commands.trimEnd().split("\n")) {
    const [, ...args] = line.replace(/ +#.*/, "").split(" ");
    expect([line, here.charter(args).code]).toEqual([line, 0]);
  }
  const { stdout } = here.charter(["users", "invitations"]);
  expect(stdout).toMatch(/bo +ada +revoked .*\n.*cy +ada +open until .*\n.*di +ada +open until /);
  here.remove();
});

test("a bad row is named with its line, and nobody is invited", () => {
  const { code, stderr, stdout } = folder.charter(["users", "invite", "bad.csv", "--out", "links.csv"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain('bad.csv: Line 3: "" cannot be the name of a user. Line 4: “Mars/Base” is no time zone.');
  expect(stderr).toContain("Nobody was invited.");
  expect(states()).toEqual([]);
  expect(folder.charter(["users", "--json"]).json()).toMatchObject({ users: [], total: 0 });
});

test("fifty people get a link each, in a file for the operator alone; given again, only who is new gets one", () => {
  const { code, stdout, stderr } = folder.charter([
    ...["users", "invite", "people.csv", "--out", "links.csv", "--url", "https://ada.example/"],
  ]);
  expect([code, stdout]).toEqual([0, ""]);
  expect(stderr).toMatch(/^50 invited, each once, until .* UTC\. The links are in links\.csv\.\n$/);
  const file = join(folder.path, "links.csv");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const [head, first, ...rest] = readFileSync(file, "utf8").trimEnd().split("\n");
  expect([head, rest.length]).toEqual(["user,agent,email,link,expires", 49]);
  expect(first).toMatch(
    /^person-1,ada,p1@example\.com,https:\/\/ada\.example\/chat\/invitation#charter_[\w-]{43},20\d\d-.*Z$/,
  );
  expect(states().map(({ state }) => state)).toEqual(Array(50).fill("open"));
  expect(folder.charter(["users", "--json"]).json()).toMatchObject({ total: 50 });

  const taken = folder.charter(["users", "invite", "people.csv", "--out", "links.csv", "--again"]);
  expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining("links.csv cannot be made (EEXIST).")]);
  expect(states().length).toBe(50);

  writeFileSync(join(folder.path, "people.csv"), `user,email\n${[...fifty, "late,l@example.com"].join("\n")}\n`);
  const again = folder.charter(["users", "invite", "people.csv", "--json"]).json() as Record<string, object[]>;
  expect(again.invitations).toMatchObject([{ user: "late", agent: "ada", email: "l@example.com", state: "open" }]);
  expect(again.already?.length).toBe(50);
});

test("one user gets a link, alone on standard output; it is listed and revoked", () => {
  const made = folder.charter(["users", "invite", "bo", "--agent", "ada", "--days", "3"]);
  expect(made.stdout).toMatch(/^http:\/\/127\.0\.0\.1:4747\/chat\/invitation#charter_[\w-]{43}\n$/);
  const before = folder.charter(["users", "invite", "bo"]);
  expect([before.code, before.stdout]).toEqual([1, ""]);
  expect(before.stderr).toBe("Invited before, and left alone: “bo”. --again makes them new links.\n");
  expect(folder.charter(["users", "invitations", "--limit", "100"]).stdout).toMatch(/bo +ada +open until /);
  const gone = folder.charter(["users", "invitations", "revoke", "bo"]);
  expect(gone.stdout).toBe("The invitation of “bo” to “ada” is revoked.\n");
  expect(folder.charter(["users", "invitations", "revoke", "bo"])).toMatchObject({ code: 2 });
  expect(states().find(({ user }) => user === "bo")).toMatchObject({ state: "revoked" });
  expect(folder.charter(["users", "identities"]).stdout).toMatch(/^Nobody is bound to an issuer here\./);
});

const wrong: [args: string[], said: string][] = [
  [["users", "invite"], "charter users invite needs a user, or a file of people."],
  [["users", "invite", "none.csv"], "none.csv cannot be read (ENOENT)."],
  [["users", "invite", "cy", "--agent", "eve"], "There is no agent “eve”."],
  [["users", "invite", "cy", "--days", "91"], "An invitation cannot last 91 days."],
  [["users", "invitations", "burn"], "charter users invitations does not understand “burn”."],
  [["users", "invitations", "revoke"], "charter users invitations revoke needs an id or a user."],
  [["users", "unbind"], "charter users unbind needs the user's id."],
  [["users", "unbind", "cy"], "“cy” signs in by no issuer."],
];
test.each(wrong)("charter %j is refused, with what is wrong", (args, said) => {
  const { code, stderr } = folder.charter(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
});
