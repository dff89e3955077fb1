import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readiness } from "../../src/server/health.ts";
import { createStore, type Home, type Store, sqlite } from "../../src/store/index.ts";
import { eventually } from "../eventually.ts";
import { problemOf } from "./contract/given.ts";

/** A file, in a folder of its own, reached through a link: `<folder>/here/charter.db`, `<folder>/link.db`. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "charter-gone-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "here"));
  return folder;
}

async function opened(path: string): Promise<{ store: Store; home: Home; add: (name: string) => Promise<unknown> }> {
  const home = sqlite(path);
  const store = await createStore(home);
  onTestFinished(() => store.close());
  return { store, home, add: (name) => store.agents.add({ name, charter: "assistant" }) };
}

const namesIn = async (store: Store) => (await store.agents.list()).map(({ name }) => name);
const hint =
  "Nothing more is kept. Put it back as it was; or stop every process that uses it, restore a checkpoint, and start them again.";

type Way = {
  readonly what: string;
  readonly says: string;
  /** Does it to a file, and gives what undoes it, where anything can. */
  readonly deed: (file: string, link: string) => (() => void) | undefined;
};

/** Another file in its place, which the first one can be put back over. */
function replaced(file: string): () => void {
  copyFileSync(file, `${file}.copy`);
  renameSync(file, `${file}.old`);
  renameSync(`${file}.copy`, file);
  return () => renameSync(`${file}.old`, file);
}

function movedAway(path: string): () => void {
  renameSync(path, `${path}.away`);
  return () => renameSync(`${path}.away`, path);
}

const away = "deleted or moved away";
const ways: readonly Way[] = [
  { what: "deleted", says: `was ${away}`, deed: (file) => void unlinkSync(file) },
  { what: "moved away", says: `was ${away}`, deed: movedAway },
  { what: "replaced by a copy of itself", says: "was replaced by another", deed: replaced },
  { what: "emptied", says: "was emptied", deed: (file) => void truncateSync(file) },
  { what: "in a folder that was renamed", says: `was ${away}`, deed: (file) => movedAway(dirname(file)) },
  {
    what: "in a folder that was deleted",
    says: `was ${away}`,
    deed: (file) => void rmSync(dirname(file), { recursive: true }),
  },
  {
    what: "behind a link that points elsewhere now",
    says: "was replaced by another",
    deed: (file, link) => {
      copyFileSync(file, `${file}.copy`);
      unlinkSync(link);
      symlinkSync(`${file}.copy`, link);
      return () => {
        unlinkSync(link);
        symlinkSync(file, link);
      };
    },
  },
  { what: "left without its log", says: `-wal was ${away}`, deed: (file) => void unlinkSync(`${file}-wal`) },
  {
    what: "left with its log moved away",
    says: `-wal was ${away}`,
    deed: (file) => movedAway(`${file}-wal`),
  },
  {
    what: "left with another log",
    says: "-wal was replaced by another",
    deed: (file) => replaced(`${file}-wal`),
  },
];

describe("a database file that is changed under whoever has it open", () => {
  for (const { what, says, deed } of ways)
    test(`${what}: nothing is acknowledged any more, and it goes on when it is put back`, async () => {
      const folder = newFolder();
      const [file, link] = [join(folder, "here", "charter.db"), join(folder, "link.db")];
      symlinkSync(file, link);
      const { store, home, add } = await opened(link);
      await add("ada");
      expect([home.storageLost(), await readiness(store, Date.now)()]).toEqual([undefined, undefined]);

      const undo = deed(file, link);
      const gone = `store-gone: ${link}${says.startsWith("-wal") ? "" : " "}${says} while it was in use. ${hint}`;
      for (const work of [() => add("bob"), () => home.vacuum()]) expect(await problemOf(work())).toBe(gone);
      expect(await readiness(store, Date.now)()).toEqual({
        code: "store-gone",
        message: "The database was deleted or replaced under this server.",
      });

      undo?.();
      if (undo) {
        await add("cy");
        expect([await namesIn(store), home.storageLost()]).toEqual([["ada", "cy"], undefined]);
      }
      await store.close();
      if (!undo && !says.startsWith("-wal")) return;
      // What was acknowledged is there for whoever opens it next.
      const next = await opened(link);
      expect(await namesIn(next.store)).toEqual(undo ? ["ada", "cy"] : ["ada"]);
    });

  test("who only reads is told a little later", async () => {
    const file = join(newFolder(), "charter.db");
    const { store, home, add } = await opened(file);
    await add("ada");
    expect(await namesIn(store)).toEqual(["ada"]);
    unlinkSync(file);
    const gone = `store-gone: ${file} was ${away} while it was in use. ${hint}`;
    for (const work of [() => store.agents.list(), () => home.look()])
      await eventually(async () => (await problemOf(work())) === gone);
  });

  test("no write of a crowd is acknowledged after the moment in which it went", async () => {
    const folder = newFolder();
    const file = join(folder, "charter.db");
    const { add } = await opened(file);
    const came: string[] = [];
    let gone = false;
    const crowd = Array.from({ length: 12 }, async (_, hand) => {
      for (let count = 0; ; count++) {
        const answer = await add(`a${hand}-${count}`).then(
          () => "kept",
          (problem: { code: string }) => problem.code,
        );
        came.push(gone ? `${answer} after` : answer);
        if (answer !== "kept") return;
      }
    });
    while (came.length < 50) await new Promise((resolve) => setImmediate(resolve));
    unlinkSync(file);
    gone = true;
    await Promise.all(crowd);
    expect(came.filter((one) => one !== "kept")).toEqual(Array.from({ length: 12 }, () => "store-gone after"));
  });

  test("a write that was on its way when it went is not acknowledged either", async () => {
    const file = join(newFolder(), "charter.db");
    const { home } = await opened(file);
    const work = home.write("everything", async () => unlinkSync(file));
    expect(await problemOf(work)).toBe(`store-gone: ${file} was ${away} while it was in use. ${hint}`);
  });

  test("a process that goes to work in another folder still has its file", async () => {
    const folder = newFolder();
    const before = process.cwd();
    process.chdir(folder);
    onTestFinished(() => process.chdir(before));
    const { store, add } = await opened("here/charter.db");
    await add("ada");
    process.chdir(before);
    await add("bob");
    const many = await Promise.all(Array.from({ length: 5 }, () => namesIn(store)));
    expect(many).toEqual(Array.from({ length: 5 }, () => ["ada", "bob"]));
  });

  test("another process that opens, writes and closes it is no reason to stop", async () => {
    const file = join(newFolder(), "charter.db");
    const { store, add } = await opened(file);
    await add("ada");
    for (const name of ["bob", "cy"]) {
      const other = await opened(file);
      await other.add(name);
      await other.home.vacuum();
      await other.store.close();
    }
    await add("di");
    expect(await namesIn(store)).toEqual(["ada", "bob", "cy", "di"]);
    expect(basename(store.home.place)).toBe("charter.db");
  });
});
