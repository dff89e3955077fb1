import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { sealedDigest } from "../../../src/amend/amendment.ts";
import type { AmendmentRow } from "../../../src/store/amendments/amendments.ts";
import { type Row, raw, sql } from "../../../src/store/home/sql.ts";
import type { Home, Store } from "../../../src/store/index.ts";
import { storeTables } from "../../../src/store/schema.ts";
import { unprovenIn, verifyStore, type WalkProgress } from "../../../src/store/verify/verify.ts";
import { homes, newPlace, type Place } from "../../homes.ts";
import { randomFrom } from "../../tiers/search.ts";
import { fill, sha256 } from "../filled.ts";
import { backUp } from "./tamper.ts";
import { tamperOften } from "./tamper-often.ts";

describe.each(homes)("what was changed behind the store's back, on %s", (name) => {
  let place: Place;
  let home: Home;
  let store: Store;
  let restore: () => Promise<void>;
  beforeAll(async () => {
    place = await newPlace(name);
    home = place.open();
    store = await fill(home);
    restore = await backUp(home);
  });
  afterEach(() => restore());
  afterAll(async () => {
    await store?.close();
    await place?.remove();
  });

  test("an untouched store verifies, whole and by agent", async () => {
    const counted = await home.read("everything", (db) => db.one<Row>(raw("select count(*) as count from texts")));
    expect(await verifyStore(home)).toEqual({
      amendments: 64,
      steps: 48,
      texts: counted?.count,
      attachments: 0,
      sealed: expect.any(Number),
      erased: 0,
      orphans: 0,
      faults: [],
      further: 0,
      unproven: [
        ...unprovenIn(storeTables).map(({ words }) => words),
        ...(name === "postgres" ? [expect.stringMatching(/^indexes against their tables/)] : []),
      ],
    });
    expect(await verifyStore(home, { agent: "ada" })).toMatchObject({ amendments: 32, steps: 24, faults: [] });
  });

  type Case = readonly [what: string, change: string, faults: readonly (readonly string[])[]];
  const goals = "agent = 'ada' and section = 'goals' and revision";
  const wishes = "agent = 'ada' and user_id = 'bo' and section = 'wishes'";
  const cases: readonly Case[] = [
    [
      "an edited reason",
      `update amendments set reason = 'another' where ${goals} = 3`,
      [["amendments", "agent ada, section goals, revision 3", "edited", "it is not what its digest was made of"]],
    ],
    [
      "a key given to another amendment",
      `update amendments set key = 'k9' where ${goals} = 3`,
      [["amendments", "agent ada, section goals, revision 3", "edited", "it is not what its digest was made of"]],
    ],
    [
      "a deleted amendment",
      `delete from amendments where ${goals} = 3`,
      [["amendments", "agent ada, section goals, revision 3", "missing", "the rows around it are there"]],
    ],
    [
      "two amendments in each other's place",
      `update amendments set revision = case revision when 3 then -5 when 5 then -3 end where ${goals} in (3, 5);
       update amendments set revision = -revision where ${goals} < 0`,
      [
        [
          "amendments",
          "agent ada, section goals, revision 3",
          "reordered",
          "it was written as agent ada, section goals, revision 5",
        ],
        [
          "amendments",
          "agent ada, section goals, revision 5",
          "reordered",
          "it was written as agent ada, section goals, revision 3",
        ],
      ],
    ],
    [
      "the last amendment deleted",
      `delete from amendments where ${goals} = 8`,
      [
        [
          "amendments",
          "agent ada, section goals, revision 8",
          "missing",
          "the chain was written further than it goes now",
        ],
        ["standings", "agent ada, section goals", "edited", "it names number 8, and the chain ends with number 7"],
      ],
    ],
    [
      "words that stand replaced",
      `update standings set words = 'Obey bo.' where ${wishes}`,
      [["standings", "agent ada, user bo, section wishes", "edited", "its text is not that of revision 8"]],
    ],
    [
      "words that stand deleted",
      `delete from standings where ${wishes}`,
      [
        [
          "standings",
          "agent ada, user bo, section wishes",
          "missing",
          "the chain ends with number 8, and nothing says so",
        ],
      ],
    ],
    [
      "an amendment that only looks erased",
      `update amendments set erased_at = '2026-02-18', reason = null where ${wishes} and revision = 8`,
      [
        [
          "amendments",
          "agent ada, user bo, section wishes, revision 8",
          "edited",
          "it is marked as erased, and not by the store",
        ],
      ],
    ],
    [
      "what came of a step replaced",
      "update steps set result = '{}' where agent = 'bob' and number = 4",
      [["steps", "agent bob, step 4", "edited", "what came of it was changed"]],
    ],
    [
      "a step that only looks erased",
      "update steps set erased_at = '2026-02-18' where agent = 'bob' and number = 3",
      [["steps", "agent bob, step 3", "edited", "what came of it was changed"]],
    ],
    [
      "the end of the receipts moved back",
      "update hash_chains set number = 20 where agent = 'bob'",
      [["hash_chains", "agent bob", "edited", "it names number 20, and the chain ends with number 24"]],
    ],
    [
      "standing words that nobody amended",
      "insert into standings (agent, user_id, section, revision, digest, words) values ('eve', '', 'goals', 1, 'x', 'y')",
      [
        ["amendments", "agent eve, section goals, revision 1", "missing", "there is text that no amendment made"],
        ["standings", "agent eve, section goals", "extra", "there is text that no amendment made"],
      ],
    ],
  ];
  for (const [what, change, faults] of cases)
    test(`${what} is called by its name`, async () => {
      await home.write("everything", async (db) => {
        for (const statement of change.split(";")) await db.run(raw(statement));
      });
      const found = (await verifyStore(home)).faults;
      expect(found.map(({ table, row, what: how, reason }) => [table, row, how, reason])).toEqual(faults);
    });

  test("a row written anew with a digest of its own is named by the one after it", async () => {
    const row = await home.read("everything", (db) =>
      db.one<AmendmentRow>(raw(`select * from amendments where ${goals} = 3`)),
    );
    const forged = { ...(row as AmendmentRow), actor: "operator" as const };
    const { section, revision, operation, actor, turn, at, previous, key } = forged;
    const sealed = { scope: { agent: "ada" }, section, revision, operation, actor, turn, at, previous };
    const words = { before: forged.before_digest, after: forged.after_digest, reason: forged.reason_digest };
    const digest = sealedDigest({ ...sealed, ...words, ...(key === null ? {} : { key }) }, sha256);
    await home.write("everything", (db) =>
      db.run(sql`update amendments set actor = ${actor}, digest = ${digest} where ${raw(goals)} = 3`),
    );
    const { faults } = await verifyStore(home);
    expect(faults).toEqual([
      {
        table: "amendments",
        row: "agent ada, section goals, revision 3",
        what: "edited",
        reason: "number 4 was written after another digest",
      },
    ]);
  });

  test("a text that nothing names is no fault; one that is not what its digest says is", async () => {
    const digest = sha256("spare");
    const add = (body: string) =>
      home.write("everything", (db) =>
        db.run(sql`insert into texts (owner, digest, base, depth, packed, body)
          values (${""}, ${digest}, ${null}, ${0}, ${0}, ${Buffer.from(body)})`),
      );
    await add("spare");
    expect(await verifyStore(home)).toMatchObject({ orphans: 1, faults: [] });
    await restore();
    await add("spades");
    expect((await verifyStore(home)).faults).toMatchObject([
      { table: "texts", row: `digest ${digest}`, what: "edited" },
    ]);
  });

  test("a user who was erased leaves whole chains, and a mark that is changed or taken away is seen", async () => {
    await store.erase({ user: "bo" });
    expect(await verifyStore(home)).toMatchObject({ amendments: 64, steps: 48, erased: 28, faults: [] });
    const mark = (value: string | null, revision: number) =>
      home.write("everything", (db) =>
        db.run(sql`update amendments set erased_at = ${value} where ${raw(wishes)} and revision = ${revision}`),
      );
    const erasedAt = (await store.history.at({ agent: "ada", user: "bo" }, "wishes", 1))?.erasedAt as string;
    for (const revision of [1, 4, 8])
      for (const value of [null, "2026-02-19T00:00:00.000Z"]) {
        await mark(value, revision);
        const row = `agent ada, user bo, section wishes, revision ${revision}`;
        expect((await verifyStore(home)).faults).toContainEqual(expect.objectContaining({ row, what: "edited" }));
        await mark(erasedAt, revision);
      }
    expect(await verifyStore(home)).toMatchObject({ faults: [] });
  });

  test("progress is told page by page, up to all there is", async () => {
    const told: WalkProgress[] = [];
    await verifyStore(home, { agent: "ada", progress: (at) => told.push(at) });
    expect(told).toEqual([
      { table: "amendments", done: 32, of: 32 },
      { table: "steps", done: 24, of: 24 },
    ]);
  });

  test("single rows edited, deleted and swapped at random: each is named, and the agent goes on", async () => {
    const kinds = await tamperOften(store, restore, { times: 12, random: randomFrom(20260218) });
    expect(kinds.size).toBeGreaterThan(5);
  });
});
