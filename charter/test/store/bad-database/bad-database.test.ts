import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { charter as command, createFolder, type Folder } from "../../cli.ts";

/** Everything a folder holds, to the byte; what a reader leaves beside a file does not count. */
const bytesIn = (folder: Folder) =>
  folder
    .names()
    .filter((name) => !/-(?:shm|wal)$/.test(name))
    .map((name) => [name, readFileSync(join(folder.path, name)).toString("base64")]);

/** A command that comes to a Problem says so in two lines, with exit code 2, and never by a stack trace. */
function expectProblem(answer: { code: number | null; stdout: string; stderr: string }, line: string, hint: string) {
  expect(answer).toMatchObject({ code: 2, stdout: "", stderr: `${line}\n  ${hint}\n` });
}

let folder: Folder;
beforeAll(() => {
  folder = createFolder({ "text.db": "Dear diary,\n", "noise.db": Buffer.alloc(100_000, "noise") });
  mkdirSync(join(folder.path, "folder.db"));
  const other = new DatabaseSync(join(folder.path, "other.db"));
  other.exec("create table diary (day text); insert into diary values ('Monday')");
  other.close();
  for (const [name, version] of [
    ["newer.db", 99],
    ["older.db", 0],
  ] as const) {
    expect(folder.charter(["agents", "add", "ada", "--charter", "assistant", "--database", name]).code).toBe(0);
    const file = new DatabaseSync(join(folder.path, name));
    file.exec(`pragma user_version = ${version}`);
    file.close();
  }
  folder.write("empty.db", "");
});
afterAll(() => folder?.remove());

const untouched = "Name another file with --database; nothing in it was touched.";
const make = "Make one with `charter agents add`, or name another with --database.";
const rows: [file: string, line: string, hint: string][] = [
  ["text.db", "not-a-charter-database: text.db is no database.", untouched],
  ["noise.db", "not-a-charter-database: noise.db is no database.", untouched],
  ["other.db", "not-a-charter-database: other.db is a database of something else.", untouched],
  ["folder.db", "unreadable: folder.db is a folder.", "Name a file in it, as in .charter/charter.db."],
  ["", "bad-database: The database has no name.", "Give a file, as in .charter/charter.db."],
  ["nothing.db", "no-database: There is no database at nothing.db.", make],
  ["no/such/folder.db", "no-database: There is no database at no/such/folder.db.", make],
  [
    "newer.db",
    "newer-schema: newer.db was made by a newer Charter (schema 99; this one knows 14).",
    "Upgrade Charter; nothing was touched.",
  ],
  [
    "older.db",
    "older-schema: older.db was made by a Charter before the first release (schema 0; this one knows 12 and later).",
    "Name another database, or move this one aside and begin anew; nothing was touched.",
  ],
];
for (const [file, line, hint] of rows)
  test(`“${file}” is refused by name, and not touched`, () => {
    const before = bytesIn(folder);
    for (const words of [
      ["agents", "--database", file],
      ["show", "--agent", "ada", "--database", file],
    ])
      expectProblem(folder.charter(words), line, hint);
    const json = folder.charter(["agents", "--database", file, "--json"]);
    const [code, message] = line.split(/: (.*)/s);
    expect([json.code, json.json()]).toEqual([2, { problem: { code, message, hint } }]);
    expect(bytesIn(folder)).toEqual(before);
  });

test("one that adds an agent makes a database in an empty file, never in another's", () => {
  for (const [file, line, hint] of rows)
    if (!/nothing|no\/such/.test(file))
      expectProblem(folder.charter(["agents", "add", "eve", "--charter", "assistant", "--database", file]), line, hint);
  const added = folder.charter(["agents", "add", "eve", "--charter", "assistant", "--database", "empty.db"]);
  expect([added.code, added.stderr]).toEqual([0, ""]);
});

test("one that was cut off or scribbled over is said to be damaged, and no more is done to it", () => {
  expect(folder.charter(["agents", "add", "ada", "--charter", "assistant", "--database", "good.db"]).code).toBe(0);
  const good = readFileSync(join(folder.path, "good.db"));
  folder.write("cut.db", good.subarray(0, 20_000));
  folder.write("scribbled.db", Buffer.from(good).fill("X", 4096, 4200));
  const before = bytesIn(folder);
  for (const file of ["cut.db", "scribbled.db"])
    expectProblem(
      folder.charter(["agents", "--database", file]),
      `store-damaged: ${file} is damaged.`,
      "Restore a checkpoint with `charter checkpoint restore`, into a new file.",
    );
  expect(bytesIn(folder)).toEqual(before);
});

for (const [address, line] of [
  ["mysql://me:sekrit@host/x", "bad-database: Charter does not support mysql databases."],
  ["http://me:sekrit@host/x", "bad-database: Charter does not support http databases."],
] as const)
  test(`${address.split(":")[0]} is no home`, () => {
    const hint = "Give a file, or postgres://user:password@host:5432/database.";
    expectProblem(command(["agents", "--database", address]), line, hint);
  });

test("a database is its owner's to read, and so is what SQLite keeps beside it", () => {
  folder.charter(["agents", "add", "ada", "--charter", "assistant", "--database", "own.db"]);
  const rights = folder
    .names()
    .flatMap((name) => (name.startsWith("own.db") ? [statSync(join(folder.path, name)).mode & 0o777] : []));
  expect(new Set(rights)).toEqual(new Set([0o600]));
});
