import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createStore, sqlite } from "../../src/store/index.ts";
import { createFolder } from "../cli.ts";

/** A resident whose core memory is on relays is set up: with a new key pair, or with one there is. */

const folder = createFolder();
afterAll(() => folder.remove());

const owner = "npub1sn0wdenkukak0d9dfczzeacvhkrgz92ak56egt7vdgzn8pv2wfqqhrjdv9";
const secret = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5";
const hex = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa";
const relay = "wss://relay.example.org";
const add = (name: string, ...more: readonly string[]) =>
  folder.charter(["agents", "add", name, "-c", "resident", ...more]);

describe("charter agents add", () => {
  test("makes a key pair that only its owner can read, and says what is left to do", () => {
    const { code, stdout, stderr } = add("ada", "--relay", relay, "--owner", owner, "--new-key", ".charter/ada.key");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.replace(/npub1\w{58}\n/, "npub1…\n").split("\n")).toEqual([
      "“ada” was added to .charter/charter.db. See its prompt: charter show --agent ada",
      "Its key is in .charter/ada.key: keep a copy, nobody else has one. Its public key is npub1…",
      'Say where the key is, in charter.config.ts: keys: { ada: { file: ".charter/ada.key" } }',
      "Then let commands run that file: charter trust",
      "",
    ]);
    expect(statSync(join(folder.path, ".charter/ada.key")).mode & 0o777).toBe(0o600);
    expect(folder.read(".charter/ada.key")).toMatch(/^nsec1\w{58}\n$/);
    expect(folder.read(".charter/.gitignore")).toContain("/*.key\n");
    expect(folder.charter(["agents", "show", "ada", "--json"]).json()).toMatchObject({
      settings: { memory: { relays: [relay], owner, key: "ada" } },
    });
  });

  test("a key that was made here is on record as new; one there was before is not", async () => {
    const store = await createStore(sqlite(join(folder.path, ".charter/charter.db")));
    const births = await store.events.list({ kind: "key-is-new" });
    await store.close();
    expect(births.map(({ scope, detail }) => [scope.agent, detail])).toEqual([
      ["ada", { key: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    ]);
  });

  test("takes a key there is, by its name", () => {
    const { code, stdout } = add(
      "b-o",
      "--relay",
      relay,
      "--relay",
      "https://b.example",
      "--owner",
      owner,
      "--key",
      "b.1",
    );
    expect([code, stdout.split("\n").slice(1)]).toEqual([
      0,
      [
        'Say where the key is, in charter.config.ts: keys: { "b.1": { file: "b.1.key" } }',
        "Then let commands run that file: charter trust",
        "",
      ],
    ]);
    expect(folder.charter(["agents", "set", "b-o", "--relay", "ws://127.0.0.1:7777", "--json"]).json()).toMatchObject({
      settings: { memory: { relays: ["ws://127.0.0.1:7777"], owner, key: "b.1" } },
    });
  });

  test("writes over no key, and leaves none behind for an agent there already is", () => {
    const before = folder.read(".charter/ada.key");
    expect(add("cy", "--relay", relay, "--owner", owner, "--new-key", ".charter/ada.key")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^file-exists: There is a file at .charter\/ada.key already: a key is never written/,
      ),
    });
    expect(folder.read(".charter/ada.key")).toBe(before);
    expect(add("ada", "--relay", relay, "--owner", owner, "--new-key", ".charter/other.key").stderr).toMatch(
      /^agent-exists: /,
    );
    expect(folder.names().filter((name) => name.endsWith(".key"))).toEqual([".charter/ada.key"]);
    expect(folder.charter(["agents", "show", "cy"]).stderr).toMatch(/^unknown-agent: /);
  });
});

describe("what cannot be used is named, and a secret is not repeated", () => {
  const cases: [what: string, args: readonly string[], said: string][] = [
    ["no owner", ["--relay", relay], "usage: A core memory needs --owner, the public key (npub) of whose agent it is."],
    ["no relay", ["--owner", owner], "usage: A core memory needs --relay, where it is kept."],
    [
      "no address of a relay",
      ["--relay", relay, "--relay", "ftp://b.example", "--owner", owner],
      "usage: --relay “ftp://b.example” is no address of a relay (wss://, ws://, https:// or http://).",
    ],
    [
      "a password in an address",
      ["--relay", `wss://ada:${hex}@b.example`, "--owner", owner],
      "usage: --relay (number 1) has a name or a password in the address of a relay.",
    ],
    [
      "a secret key as a relay",
      ["--relay", secret, "--owner", owner],
      "usage: --relay (number 1) is no address of a relay (wss://, ws://, https:// or http://).",
    ],
    [
      "a secret key as the owner",
      ["--relay", relay, "--owner", secret],
      "usage: --owner is a secret key (nsec), where the owner's public key is needed.",
    ],
    [
      "an owner with a wrong character",
      ["--relay", relay, "--owner", `${owner.slice(0, -1)}8`],
      "bad-facts: The fact “memory.owner” is no public key: a character of it is wrong.",
    ],
    [
      "a secret key as its name",
      ["--relay", relay, "--owner", owner, "--key", hex],
      "usage: --key is no name of a key: letters, digits, “-”, “_” and “.”, at most 40. The key itself is told where charter.config.ts says.",
    ],
    [
      "a secret key as a word of its own",
      ["--relay", relay, "--owner", owner, secret],
      "usage: charter agents add does not understand “nsec1…”.",
    ],
    [
      "another charter",
      ["-c", "assistant", "--relay", relay, "--owner", owner],
      "usage: --relay needs a charter with a core memory: assistant has none.",
    ],
  ];
  test.for(cases)("%s", ([, args, said]) => {
    for (const json of [[], ["--json"]]) {
      const { code, stdout, stderr } = add("dee", ...args, ...json);
      expect(code).toBe(2);
      if (json.length === 0) expect(stderr.split("\n")[0]).toBe(said);
      for (const words of [stdout, stderr]) expect(words).not.toMatch(/nsec1v|67dea2ed/);
    }
  });
});
