import { afterAll, beforeAll, expect, test } from "vitest";
import { newResidentFolder, type ResidentFolder } from "../relays/resident-folder.ts";
import { startStrictRelay } from "../relays/strict-relay.ts";
import { deadAddress, type TestRelay } from "../relays/test-relay.ts";

/** `charter core`, on two real relays and a dead one: the tests follow one another, as an operator's day does. */

let one: TestRelay;
let other: TestRelay;
let dead: string;
let resident: ResidentFolder;
let npub: string;

beforeAll(async () => {
  [one, other, dead] = await Promise.all([startStrictRelay(), startStrictRelay(), deadAddress()]);
  resident = await newResidentFolder([one.url, other.url, dead]);
  npub = resident.key.npub;
});
afterAll(async () => {
  resident.remove();
  await Promise.all([one.stop(), other.stop()]);
});

/** What differs from run to run, under names. */
const named = (text: string) =>
  text
    .replaceAll(one.url, "ws://one")
    .replaceAll(other.url, "ws://other")
    .replaceAll(dead, "ws://dead")
    .replaceAll(npub, "<npub>")
    .replace(/\b[0-9a-f]{64}\b/g, "<event>")
    .replace(/\b[0-9a-f]{12}\b/g, "<event…>")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "<time>");

const core = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await resident.run(["core", ...args]);
  return { code, stdout: named(stdout).split("\n").slice(0, -1), stderr: named(stderr).split("\n").slice(0, -1) };
};
const json = async (...args: readonly string[]) => JSON.parse((await resident.run(["core", ...args, "--json"])).stdout);
const gone = "could not be reached: No connection: nothing listens there (ECONNREFUSED).";
const later = () => Math.floor(Date.now() / 1000) + 60;

test("one relay is gone: what it had is not known, and nothing is written until an operator says that the key is new", async () => {
  const relays = ["  ws://one has none", "  ws://other has none", `  ws://dead ${gone}`];
  expect(await core("get")).toEqual({
    code: 1,
    stdout: [],
    stderr: [
      "unavailable: ws://dead could not be reached",
      ...relays,
      "notice: core-memory-unconfirmed: Whether there is a core memory is not known: no relay that answered has one, but ws://dead could not be reached. If nothing was ever written with its key, say so: `charter core new`.",
    ],
  });
  expect(await json("set", "You are Ada.")).toMatchObject({ verdict: "refused" });
  expect(await core("new")).toEqual({
    code: 0,
    stdout: [
      "On record: the core memory of “ada” begins with its key and owner.",
      "empty: no relay has a core memory of “ada” (<npub>)",
      ...relays,
    ],
    stderr: [],
  });
});

test("set shows the change, who took it, and who did not", async () => {
  expect(await core("set", "You are Ada.", "--reason", "A start.")).toEqual({
    code: 0,
    stdout: [
      "accepted: revision 1 of “core” (“ada”, for all)",
      "--- core (before)",
      "+++ core (after)",
      "@@ -0,0 +1,1 @@",
      "+You are Ada.",
      "published: event <event>, taken by ws://one, ws://other",
      "  not on ws://dead: No connection: nothing listens there (ECONNREFUSED).",
    ],
    stderr: [],
  });
  expect(await one.held()).toEqual(await other.held());
});

test("get prints the words and nothing else; where they are from stands beside it", async () => {
  expect(await core("get")).toEqual({
    code: 0,
    stdout: ["You are Ada."],
    stderr: ["present: event <event> of <time> UTC, from ws://one, by <npub>, revision 1", `  ws://dead ${gone}`],
  });
});

test("why names the event, the relay and the author of words in the prompt", async () => {
  const { code, stdout } = await resident.run(["why", "--agent", "ada", "You are Ada"]);
  expect([code, named(stdout).split("\n").slice(0, 3)]).toEqual([
    0,
    [
      "0–11  You are Ada.",
      "  core (layer identity), from Nostr event <event>, from ws://one, by <npub>, revision 1",
      "    by the operator (revision 1, rewrite), <time> UTC: A start.",
    ],
  ]);
});

test("a change is quoted and tried without anything being published, and may come from standard input", async () => {
  const [before] = await one.held();
  const quoted = await resident.run(["core", "set", "You are Eva.", "--quote"]);
  expect([quoted.code, quoted.stdout]).toEqual([
    0,
    expect.stringContaining("Nothing was changed. To apply the change, leave --quote out."),
  ]);
  const tried = await resident.run(["core", "set", "--content-file", "-", "--dry-run", "--json"], "You are Eva.");
  expect(JSON.parse(tried.stdout)).toMatchObject({ verdict: "accepted", after: "You are Eva." });
  expect(await one.held()).toEqual([before]);
});

test("what was written elsewhere is the next revision, and a relay that lags is told by how much", async () => {
  const createdAt = later();
  await one.put(resident.key.makeEvent({ slug: "core", text: "You are Ada, and like tea.", createdAt }));
  expect(await core("relays")).toEqual({
    code: 0,
    stdout: [
      expect.stringMatching(/^relay +status +event +time \(UTC\) +behind +reason$/),
      expect.stringMatching(/^ws:\/\/one +newest +<event…> +<time> +no$/),
      expect.stringMatching(/^ws:\/\/other +behind +<event…> +<time> +\d+ (second|minute)s?$/),
      expect.stringMatching(/^ws:\/\/dead +unreachable +– +– +– +No connection/),
      "The newest event is <event>, by <npub>.",
    ],
    stderr: [],
  });
  expect((await core("history")).stdout).toEqual([
    expect.stringMatching(/^revision +time \(UTC\) +by +event +relays +reason$/),
    "2         <time>  agent     <event…>  elsewhere  Written elsewhere: event <event> on ws://one.",
    "1         <time>  operator  <event…>  published  A start.",
  ]);
  expect((await resident.run(["core", "get"])).stdout).toBe("You are Ada, and like tea.\n");
});

test("the doctor tells the newest event, the relay that lags, and the one that is gone", async () => {
  const { code, stdout } = await resident.run(["doctor"]);
  const lines = named(stdout).split("\n");
  const about = lines.filter((line) => line.includes("core memory"));
  expect([code, about]).toEqual([
    1,
    [
      "fine  The core memory of “ada” (<npub>) is on 1 of 3 relays: event <event> of <time> UTC.",
      expect.stringMatching(
        /^look {2}The core memory of “ada”: ws:\/\/other has an older one \(by \d+ (second|minute)s?\)\.$/,
      ),
      `look  The core memory of “ada”: ws://dead ${gone}`,
    ],
  ]);
});

test("memories at mem/… are listed and read; a deleted one only where it is asked for", async () => {
  const createdAt = later();
  const memory = (slug: string, text: string | null) => resident.key.makeEvent({ slug, text, createdAt });
  await other.put(memory("mem/people/bo", "Bo likes\ncoffee."), memory("mem/old", null));
  expect((await core("list")).stdout.slice(1)).toEqual(["mem/people/bo  <time>  <event…>  Bo likes coffee."]);
  expect((await core("list", "--all")).stdout.slice(1)).toEqual([
    expect.stringMatching(/^mem\/old +<time> {2}<event…> {2}\(deleted\)$/),
    "mem/people/bo  <time>  <event…>  Bo likes coffee.",
  ]);
  expect(await json("list")).toMatchObject({ whole: true, truncated: [], memories: [{ slug: "mem/people/bo" }] });
  expect(await core("get", "mem/people/bo")).toMatchObject({ code: 0, stdout: ["Bo likes", "coffee."] });
  expect(await core("get", "mem/old")).toMatchObject({
    code: 1,
    stdout: [],
    stderr: [/^deleted: event/, /./, /./].map((line) => expect.stringMatching(line)),
  });
  expect(await core("get", "mem/Old")).toEqual({
    code: 2,
    stdout: [],
    stderr: [
      "bad-slug: “mem/Old” is no name of a memory.",
      "  Give core, or a name as in mem/people/ada: small letters, digits, “-” and “_”.",
    ],
  });
});

test("no relay answers: unavailable, with a reason each, and nothing is written over", async () => {
  await Promise.all([one.stop(), other.stop()]);
  expect(await core("get")).toMatchObject({
    code: 1,
    stdout: [],
    stderr: [
      expect.stringMatching(/^unavailable: ws:\/\/one could not be reached; /),
      ...["one", "other", "dead"].map((name) => `  ws://${name} ${gone}`),
    ],
  });
  expect((await core("set", "You are new.")).stdout.slice(0, 2)).toEqual([
    "refused (“ada”, for all)",
    expect.stringMatching(/^ {2}core-unavailable: The core memory cannot be changed now: it could not be read/),
  ]);
  expect(await core("list")).toMatchObject({ code: 1, stdout: ["No memory was found."] });
  expect(await core("publish")).toEqual({ code: 0, stdout: ["Nothing of “ada” waits to be published."], stderr: [] });
});
