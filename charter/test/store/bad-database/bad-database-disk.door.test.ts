import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../src/store/home/sql.ts";
import { createStore, type Store, sqlite } from "../../../src/store/index.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { problemOf } from "../contract/given.ts";
import { charter, deskOf, rewrite } from "../desk.ts";

const root = process.getuid?.() === 0;
const nobody = 65534;

describe("a disk that says no", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "charter-disk-"));
    chmodSync(folder, 0o755);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** As somebody to whom rights apply: root may do everything. */
  const asNobody = (...args: readonly string[]) => {
    const script = fileURLToPath(new URL("../../../bin/charter.js", import.meta.url));
    const as = root ? { uid: nobody, gid: nobody } : {};
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
      ...as,
      cwd: folder,
      encoding: "utf8",
      env: {},
    });
    return { code: status, stdout, stderr };
  };
  const canRun = asNobodyCanRun();
  const add = (file: string) => ["agents", "add", "eve", "--charter", "assistant", "--database", file];

  test.skipIf(!canRun)(
    "a file that may only be read can be looked into as long as its folder may be written to",
    async () => {
      const place = join(folder, "file");
      mkdirSync(place);
      const file = join(place, "charter.db");
      const store = await createStore(sqlite(file));
      await store.agents.put({ name: "ada", charter: "assistant" });
      await store.close();
      chmodSync(file, 0o444);
      if (root) chownSync(place, nobody, nobody);
      const before = readFileSync(file);
      const hint = "Make the file and its folder writable, or name another with --database.";
      const stderr = `read-only: ${file} cannot be written to.\n  ${hint}\n`;
      expect(asNobody(...add(file))).toEqual({ code: 2, stdout: "", stderr });
      expect(asNobody("agents", "--database", file)).toMatchObject({ code: 0, stderr: "" });
      expect(readFileSync(file).equals(before)).toBe(true);
    },
  );

  test.skipIf(!canRun)("a folder that may only be read takes no database, and the one in it is read", async () => {
    const place = join(folder, "closed");
    mkdirSync(place);
    const file = join(place, "charter.db");
    const store = await createStore(sqlite(file));
    await store.agents.put({ name: "ada", charter: "assistant" });
    await store.close();
    chmodSync(file, 0o644);
    chmodSync(place, 0o555);
    const before = readdirSync(place).map((name) => [name, readFileSync(join(place, name)).toString("base64")]);
    const hint = "Make the file and its folder writable, or name another with --database.";
    const stderr = `read-only: ${file} cannot be written to.\n  ${hint}\n`;
    expect(asNobody(...add(file))).toEqual({ code: 2, stdout: "", stderr });
    const listed = asNobody("agents", "--database", file);
    expect([listed.code, listed.stdout.split("\n")[1]?.split(" ")[0], listed.stderr]).toEqual([0, "ada", ""]);
    const fresh = asNobody(...add(join(place, "new.db")));
    expect(fresh.code).toBe(2);
    expect(fresh.stderr).toMatch(/^unreadable: .*new\.db cannot be opened.*\n {2}\S/);
    const deeper = asNobody(...add(join(place, "deeper", "new.db")));
    expect(deeper.code).toBe(2);
    expect(deeper.stderr).toMatch(/^unreadable: .*new\.db cannot be opened.*\n {2}\S/);
    expect(readdirSync(place).map((name) => [name, readFileSync(join(place, name)).toString("base64")])).toEqual(
      before,
    );
    chmodSync(place, 0o755);
  });

  function asNobodyCanRun(): boolean {
    if (!root) return true;
    const script = fileURLToPath(new URL("../../../bin/charter.js", import.meta.url));
    const { status } = spawnSync(process.execPath, [script, "--version"], { uid: nobody, gid: nobody, cwd: "/" });
    if (status !== 0) process.stdout.write("Not tried: read-only files, as nobody may read this folder.\n");
    return status === 0;
  }
});

describe("a disk that is full", () => {
  const disk = mkdtempSync(join(tmpdir(), "charter-full-"));
  const mounted = mount(disk);
  afterAll(() => {
    if (mounted) execFileSync("umount", ["-l", disk]);
    rmSync(disk, { recursive: true, force: true });
  });
  const full = (file: string) =>
    `disk-full: There is no room left on the disk for ${file}. Free some space. Nothing was changed.`;
  /** Takes all the room there is. */
  const fill = () => {
    for (let size = 1_000_000; size >= 1; size = Math.floor(size / 4))
      for (let more = 0; ; more++)
        try {
          writeFileSync(join(disk, `filler-${size}-${more}`), Buffer.alloc(size, 1));
        } catch {
          break;
        }
  };
  const free = () => {
    for (const name of readdirSync(disk)) if (name.startsWith("filler")) rmSync(join(disk, name));
  };

  test.skipIf(!mounted)("a new database is refused, and made when there is room", async () => {
    const file = join(disk, "new.db");
    fill();
    const home = sqlite(file);
    expect(await problemOf(createStore(home))).toBe(full(file));
    await home.close();
    free();
    const store = await createStore(sqlite(file));
    await store.agents.put({ name: "ada", charter: "test" });
    await store.close();
    for (const name of readdirSync(disk)) rmSync(join(disk, name));
  });

  test.skipIf(!mounted)(
    "in the middle of writing, what stood still stands, and work goes on when there is room",
    async () => {
      const file = join(disk, "charter.db");
      const store = await createStore(sqlite(file));
      await store.agents.put({ name: "ada", charter: "test" });
      const noise = () => Array.from({ length: 500 }, () => Math.random().toString(36)).join(" ");
      let stands = { text: "Grow.", revision: 0 };
      let problem = "no problem";
      while (problem === "no problem") {
        const text = noise();
        problem = await problemOf(async () => {
          const { amendment } = await store.propose(deskOf(), rewrite(text));
          stands = { text, revision: amendment?.revision ?? 0 };
        });
      }
      expect(problem).toBe(full(file));
      expect(stands.revision).toBeGreaterThan(1);
      for (let times = 0; times < 3; times++)
        expect(await problemOf(store.propose(deskOf(), rewrite(noise().repeat(20))))).toBe(full(file));
      expect((await store.standings.read(charter, { agent: "ada" })).goals).toEqual(stands);
      const other = sqlite(file);
      const elsewhere = await createStore(other);
      expect((await elsewhere.standings.read(charter, { agent: "ada" })).goals).toEqual(stands);
      await elsewhere.close();
      execFileSync("mount", ["-o", "remount,size=8m", disk]);
      const next = await store.propose(deskOf(), rewrite(noise(), { revision: stands.revision }));
      expect(next).toMatchObject({ verdict: "accepted", revision: stands.revision + 1 });
      expect((await verifyStore(store.home)).faults).toEqual([]);
      await store.close();
    },
  );

  /** A megabyte of memory that behaves like a disk. Only root may have one. */
  function mount(at: string): boolean {
    const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", at], { encoding: "utf8" });
    if (status !== 0) process.stdout.write(`Not tried: a full disk (mount: ${stderr?.trim() ?? "not there"}).\n`);
    return status === 0;
  }
});

test("a file another process keeps busy for too long is a problem, and the change that waited is not made", async () => {
  const folder = mkdtempSync(join(tmpdir(), "charter-busy-"));
  const file = join(folder, "charter.db");
  const store: Store = await createStore(sqlite(file, { patience: 50 }));
  await store.agents.put({ name: "ada", charter: "test" });
  const other = new DatabaseSync(file);
  other.exec("begin immediate");
  expect(await problemOf(store.propose(deskOf(), rewrite("One.")))).toBe(
    `store-busy: ${file} was kept busy by another process. Try again; if it stays so, look for a process that holds it.`,
  );
  expect(await store.history.list({ agent: "ada" }, "goals")).toEqual([]);
  other.exec("commit");
  other.close();
  expect((await store.propose(deskOf(), rewrite("One."))).verdict).toBe("accepted");
  const rows = await store.home.read("everything", (db) => db.all(sql`select revision from amendments`));
  expect(rows).toEqual([{ revision: 1 }]);
  await store.close();
  rmSync(folder, { recursive: true });
});
