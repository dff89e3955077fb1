import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { setImmediate as soon } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Problem } from "../../prompt/problem.ts";
import type { Database, Home } from "./database.ts";
import { createGroupCommit, type GroupCommit, type Writing } from "./group-commit.ts";
import { createQueue } from "./queue.ts";
import { raw, sql } from "./sql.ts";
import { sqlite } from "./sqlite.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "charter-group-"));
  file = join(folder, "group.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

type Group = { readonly commit: GroupCommit; readonly handle: DatabaseSync; readonly begins: () => number };

/** Writers of one file, and how often they began. What is asked in one go waits together: the first turn comes later. */
function newGroup(more: Partial<Writing> = {}): Group {
  const handle = new DatabaseSync(file);
  handle.exec("pragma journal_mode = wal; create table if not exists notes (words text not null unique)");
  const database = {
    run: async ({ texts, values }) => Number(handle.prepare(texts.join("?")).run(...values).changes),
  } as Partial<Database> as Database;
  let begins = 0;
  const commit = createGroupCommit({
    inTurn: createQueue(),
    begin: async () => {
      begins += 1;
      handle.exec("begin immediate");
      return { handle, database };
    },
    committed: () => {},
    problemOf: async (error) => error,
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
    commit.write(seen(words)).finally(() => {
      answered.push(words);
    }),
  );
  expect(await outcomes(works)).toEqual(["", "one", "one two"]);
  expect([answered, notes(handle), begins()]).toEqual([["one", "two", "three"], ["one", "two", "three"], 1]);
});

test("nobody is answered before all of it is there for others", async () => {
  const { commit } = newGroup();
  const other = new DatabaseSync(file);
  const seen = await Promise.all(["one", "two"].map((words) => commit.write(note(words)).then(() => notes(other))));
  expect(seen).toEqual([
    ["one", "two"],
    ["one", "two"],
  ]);
});

test("one that fails undoes what it wrote, and nothing of the others'", async () => {
  const { commit, handle, begins } = newGroup();
  const works = [
    commit.write(note("one")),
    commit.write(async (db) => {
      await note("half")(db);
      throw new Error("changed my mind");
    }),
    commit.write(note("one")),
    commit.write(note("three")),
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
  const failing = commit.write(async (db) => {
    await note("half")(db);
    throw new Error("changed my mind");
  });
  expect(await outcomes([failing])).toEqual(["refused: changed my mind"]);
  expect(await outcomes([commit.write(note("next"))])).toEqual([1]);
  expect(notes(handle)).toEqual(["next"]);
});

test("a commit that fails refuses everyone in it, keeps nothing, and the next is fine", async () => {
  const { commit, handle } = newGroup();
  handle.exec(`pragma foreign_keys = on; create table parents (id integer primary key);
    create table children (parent integer references parents deferrable initially deferred)`);
  const works = [
    commit.write(note("one")),
    commit.write((db) => db.run(sql`insert into children (parent) values (${7})`)),
    commit.write(note("three")),
  ];
  const refused = "refused: FOREIGN KEY constraint failed";
  expect(await outcomes(works)).toEqual([refused, refused, refused]);
  expect([notes(handle), handle.isTransaction]).toEqual([[], false]);
  expect(await outcomes([commit.write(note("next"))])).toEqual([1]);
});

test("one that waits in the middle is whole before the next begins", async () => {
  const { commit, handle } = newGroup();
  const slow = commit.write(async (db) => {
    await note("first half")(db);
    for (let times = 0; times < 5; times++) await soon();
    await note("second half")(db);
  });
  const next = commit.write(note("next"));
  await Promise.all([slow, next]);
  expect(notes(handle)).toEqual(["first half", "second half", "next"]);
});

test("those there was no time for come with the next commit, still in order", async () => {
  const { commit, handle, begins } = newGroup();
  const busy = commit.write(async (db) => {
    for (const until = performance.now() + 30; performance.now() < until; ) await soon();
    return note("busy")(db);
  });
  await Promise.all([busy, commit.write(note("late")), commit.write(note("later"))]);
  expect([notes(handle), begins()]).toEqual([["busy", "late", "later"], 2]);
});

test("whoever cannot begin is refused with all who waited, and those who come after are tried again", async () => {
  let away = true;
  const { commit, handle } = newGroup();
  const other = newGroup({
    begin: async () => {
      if (away) throw new Error("not now");
      handle.exec("begin immediate");
      return { handle, database: { run: async () => 1 } as Partial<Database> as Database };
    },
    problemOf: async () => Promise.reject(new Error("nobody knows what this is called")),
  });
  expect(await outcomes([other.commit.write(note("one")), other.commit.write(note("two"))])).toEqual([
    "refused: not now",
    "refused: not now",
  ]);
  away = false;
  expect(await outcomes([other.commit.write(note("three")), commit.settled()])).toEqual([1, undefined]);
});

test("what is on the disk is not refused because someone who heard of it failed", async () => {
  const { commit, handle } = newGroup({
    committed: () => {
      throw new Error("a watcher's own trouble");
    },
  });
  expect(await outcomes([commit.write(note("one")), commit.write(note("two"))])).toEqual([1, 1]);
  expect(notes(handle)).toEqual(["one", "two"]);
});

test("a full disk undoes the whole group and refuses all of it; those after it are written", async () => {
  const { commit, handle } = newGroup();
  handle.exec("pragma max_page_count = 5");
  const works = [
    commit.write(note("one")),
    commit.write(async (db) => {
      await note("x".repeat(100_000))(db);
    }),
    commit.write(note("three")),
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
    const before = others === "alone" ? [] : [commit.write(note("one"))];
    const came = await outcomes([...before, commit.write(stubborn)]);
    expect(new Set(came)).toEqual(new Set(["refused: A transaction in which a statement failed cannot be kept."]));
    expect([notes(handle), handle.isTransaction]).toEqual([[], false]);
    expect(await outcomes([commit.write(note("next"))])).toEqual([1]);
  });

const table = raw("create table if not exists notes (words text not null unique)");
const counted = async (home: Home) =>
  (await home.read("everything", (db) => db.one<{ count: number }>(sql`select count(*) as count from notes`)))?.count;

test("what was asked for before a store is closed is all done, however much it is; what comes after is refused", async () => {
  const home = sqlite(file);
  await home.migrate();
  await home.write("everything", (db) => db.run(table));
  const works = Array.from({ length: 450 }, (_, index) => home.write("everything", note(`${index}`)));
  const slow = home.write("everything", async (db) => {
    for (const until = performance.now() + 30; performance.now() < until; ) await soon();
    return note("slow")(db);
  });
  const last = home.write("everything", note("last"));
  await works[0];
  const closing = home.close();
  const after = home.write("everything", note("after")).catch((error: Problem) => error.code);
  expect(new Set(await outcomes([...works, slow, last]))).toEqual(new Set([1]));
  await closing;
  // The last to close takes its log away: nobody has the file open any more.
  expect([await after, existsSync(`${file}-wal`)]).toEqual(["store-closed", false]);
  const again = sqlite(file);
  expect(await counted(again)).toBe(452);
  await again.close();
});

const program = `
  import { sqlite } from ${JSON.stringify(new URL("./sqlite.ts", import.meta.url).href)};
  import { sql } from ${JSON.stringify(new URL("./sql.ts", import.meta.url).href)};
  const [file, me] = process.argv.slice(1);
  const home = sqlite(file);
  let kept = 0;
  const write = async (index) => {
    for (const words of [\`\${me}-\${index}\`, \`common-\${index}\`])
      await home.write("everything", async (db) => {
        await db.run(sql\`insert into notes (words) values (\${words + ", begun"})\`);
        await db.run(sql\`insert into notes (words) values (\${words})\`);
      }).then(() => kept++, () => {});
  };
  await Promise.all(Array.from({ length: 20 }, async (_, lane) => {
    for (let index = lane; index < 100; index += 20) await write(index);
  }));
  await home.close();
  process.stdout.write(String(kept));
`;

test("several processes with many writes at once: all that was acknowledged is there, and nothing by halves", async () => {
  const home = sqlite(file);
  await home.migrate();
  await home.write("everything", (db) => db.run(table));
  const told = await Promise.all(
    ["a", "b", "c"].map((me) => {
      const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", program, file, me]);
      return Promise.all([text(child.stdout), text(child.stderr)]);
    }),
  );
  expect(told.map(([, complaint]) => complaint)).toEqual(["", "", ""]);
  const kept = told.reduce((sum, [count]) => sum + Number(count), 0);
  // Each its own hundred, and the common hundred whoever came first.
  expect([kept, await counted(home)]).toEqual([400, 800]);
  await home.close();
});
