import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as soon } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Database } from "./database.ts";
import { createGroupCommit, createQueue, type GroupCommit, type GroupCommitOptions } from "./queue.ts";
import { sql } from "./sql.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "charter-group-"));
  file = join(folder, "group.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

type Group = { readonly commit: GroupCommit; readonly handle: DatabaseSync; readonly begins: () => number };

/** Writers of one file, and how often they began. What is asked in one go waits together: the first turn comes later. */
function newGroup(more: Partial<GroupCommitOptions> = {}): Group {
  const handle = new DatabaseSync(file);
  handle.exec("pragma journal_mode = wal; create table if not exists notes (words text not null unique)");
  const database = {
    run: async ({ texts, values }) => Number(handle.prepare(texts.join("?")).run(...values).changes),
  } as Partial<Database> as Database;
  let begins = 0;
  const commit = createGroupCommit({
    runExclusive: createQueue(),
    begin: async () => {
      begins += 1;
      handle.exec("begin immediate");
      return { handle, commit: handle.prepare("commit"), through: () => database };
    },
    onCommit: () => {},
    problemOf: async (error) => error,
    // No time passes but what a test says.
    stopwatch: () => 0,
    ...more,
  });
  return { commit, handle, begins: () => begins };
}

const note = (words: string) => (db: Database) => db.run(sql`insert into notes (words) values (${words})`);
const notes = (handle: DatabaseSync) =>
  handle
    .prepare("select words from notes order by rowid")
    .all()
    .map(({ words }) => String(words));
/** What each of them came to: a value, or what it was refused with. */
const outcomes = async (works: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(works)).map((one) =>
    one.status === "fulfilled" ? one.value : `refused: ${(one.reason as Error).message}`,
  );

test("writes that come together share one commit, in the order they came, and each sees those before it", async () => {
  const { commit, handle, begins } = newGroup();
  const seen = (words: string) => async (db: Database) => {
    const before = notes(handle).join(" ");
    await note(words)(db);
    return before;
  };
  const answered: string[] = [];
  const works = ["one", "two", "three"].map((words) =>
    commit.write("everything", seen(words)).finally(() => {
      answered.push(words);
    }),
  );
  expect(await outcomes(works)).toEqual(["", "one", "one two"]);
  expect([answered, notes(handle), begins()]).toEqual([["one", "two", "three"], ["one", "two", "three"], 1]);
});

test("nobody is answered before all of it is there for others", async () => {
  const { commit } = newGroup();
  const other = new DatabaseSync(file);
  const seen = await Promise.all(
    ["one", "two"].map((words) => commit.write("everything", note(words)).then(() => notes(other))),
  );
  expect(seen).toEqual([
    ["one", "two"],
    ["one", "two"],
  ]);
});

test("one that fails undoes what it wrote, and nothing of the others'", async () => {
  const { commit, handle, begins } = newGroup();
  const works = [
    commit.write("everything", note("one")),
    commit.write("everything", async (db) => {
      await note("half")(db);
      throw new Error("changed my mind");
    }),
    commit.write("everything", note("one")),
    commit.write("everything", note("three")),
  ];
  expect(await outcomes(works)).toEqual([
    1,
    "refused: changed my mind",
    "refused: UNIQUE constraint failed: notes.words",
    1,
  ]);
  expect([notes(handle), begins()]).toEqual([["one", "three"], 1]);
});

test("one that fails alone leaves nothing, and the next is fine", async () => {
  const { commit, handle } = newGroup();
  const failing = commit.write("everything", async (db) => {
    await note("half")(db);
    throw new Error("changed my mind");
  });
  expect(await outcomes([failing])).toEqual(["refused: changed my mind"]);
  expect(await outcomes([commit.write("everything", note("next"))])).toEqual([1]);
  expect(notes(handle)).toEqual(["next"]);
});

test("a commit that fails refuses everyone in it, keeps nothing, and the next is fine", async () => {
  const { commit, handle } = newGroup();
  handle.exec(`pragma foreign_keys = on; create table parents (id integer primary key);
    create table children (parent integer references parents deferrable initially deferred)`);
  const works = [
    commit.write("everything", note("one")),
    commit.write("everything", (db) => db.run(sql`insert into children (parent) values (${7})`)),
    commit.write("everything", note("three")),
  ];
  const refused = "refused: FOREIGN KEY constraint failed";
  expect(await outcomes(works)).toEqual([refused, refused, refused]);
  expect([notes(handle), handle.isTransaction]).toEqual([[], false]);
  expect(await outcomes([commit.write("everything", note("next"))])).toEqual([1]);
});

test("one that waits in the middle is whole before the next begins", async () => {
  const { commit, handle } = newGroup();
  const slow = commit.write("everything", async (db) => {
    await note("first half")(db);
    for (let times = 0; times < 5; times++) await soon();
    await note("second half")(db);
  });
  const next = commit.write("everything", note("next"));
  await Promise.all([slow, next]);
  expect(notes(handle)).toEqual(["first half", "second half", "next"]);
});

test("those there was no time for come with the next commit, still in order", async () => {
  let time = 0;
  const { commit, handle, begins } = newGroup({ stopwatch: () => time });
  const busy = commit.write("everything", (db) => {
    time += 30;
    return note("busy")(db);
  });
  await Promise.all([busy, commit.write("everything", note("late")), commit.write("everything", note("later"))]);
  expect([notes(handle), begins()]).toEqual([["busy", "late", "later"], 2]);
});

test("whoever cannot begin is refused with all who waited, and those who come after are tried again", async () => {
  let away = true;
  const { commit, handle } = newGroup();
  const other = newGroup({
    begin: async () => {
      if (away) throw new Error("not now");
      handle.exec("begin immediate");
      const database = { run: async () => 1 } as Partial<Database> as Database;
      return { handle, commit: handle.prepare("commit"), through: () => database };
    },
    problemOf: async () => Promise.reject(new Error("nobody knows what this is called")),
  });
  expect(
    await outcomes([other.commit.write("everything", note("one")), other.commit.write("everything", note("two"))]),
  ).toEqual(["refused: not now", "refused: not now"]);
  away = false;
  expect(await outcomes([other.commit.write("everything", note("three")), commit.flush()])).toEqual([1, undefined]);
});

test("what is on the disk is not refused because someone who heard of it failed", async () => {
  const { commit, handle } = newGroup({
    onCommit: () => {
      throw new Error("a watcher's own trouble");
    },
  });
  expect(await outcomes([commit.write("everything", note("one")), commit.write("everything", note("two"))])).toEqual([
    1, 1,
  ]);
  expect(notes(handle)).toEqual(["one", "two"]);
});

test("a full disk undoes the whole group and refuses all of it; those after it are written", async () => {
  const { commit, handle } = newGroup();
  handle.exec("pragma max_page_count = 5");
  const works = [
    commit.write("everything", note("one")),
    commit.write("everything", async (db) => {
      await note("x".repeat(100_000))(db);
    }),
    commit.write("everything", note("three")),
  ];
  const full = "refused: database or disk is full";
  expect(await outcomes(works)).toEqual([full, full, 1]);
  expect([notes(handle), handle.isTransaction]).toEqual([["three"], false]);
});

for (const others of ["alone", "with others"])
  test(`one that goes on after a full disk, ${others}, writes nothing any more`, async () => {
    const { commit, handle } = newGroup();
    handle.exec("pragma max_page_count = 5");
    const stubborn = async (db: Database) => {
      await note("x".repeat(100_000))(db).catch(() => {});
      await note("all the same")(db);
    };
    const before = others === "alone" ? [] : [commit.write("everything", note("one"))];
    const came = await outcomes([...before, commit.write("everything", stubborn)]);
    expect(new Set(came)).toEqual(new Set(["refused: A transaction in which a statement failed cannot be kept."]));
    expect([notes(handle), handle.isTransaction]).toEqual([[], false]);
    expect(await outcomes([commit.write("everything", note("next"))])).toEqual([1]);
  });
