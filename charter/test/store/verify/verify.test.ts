import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { sealedDigest } from "../../../src/amend/amendment.ts";
import type { Scope } from "../../../src/index.ts";
import type { AmendmentRow } from "../../../src/store/amendments/amendment-row.ts";
import { type Row, raw, sql } from "../../../src/store/home/sql.ts";
import { createStore, type Home, type Store } from "../../../src/store/index.ts";
import { verifyStore, type WalkProgress } from "../../../src/store/verify/verify.ts";
import { homes, newPlace, type Place, whole } from "../../homes.ts";
import { charter, deskFor, fill, keepStep, sha256 } from "../filled.ts";
import { backUp, randomFrom, type Table, type Tampering, tamper } from "./tamper.ts";

const rowName: Readonly<Record<Table, (row: Row) => string>> = {
  amendments: (row) => `${rowName.standings(row)}, revision ${row.revision}`,
  standings: ({ agent, user_id, section }) =>
    `agent ${agent}${user_id === "" ? "" : `, user ${user_id}`}, section ${section}`,
  steps: ({ agent, number }) => `agent ${agent}, step ${number}`,
  chains: ({ agent }) => `agent ${agent}`,
  texts: ({ owner, digest }) => (owner === "" ? `digest ${digest}` : `user ${owner}, digest ${digest}`),
};

const sameChain = (a: Row, b: Row) => a.agent === b.agent && a.user_id === b.user_id && a.section === b.section;
const isIn = (rows: readonly Row[], row: Row) =>
  rows.some((one) => sameChain(one, row) && one.revision === row.revision);

const originals: Readonly<Record<string, string>> = { goals: "Grow.", wishes: "" };

/** The agents and users whose rows these are; a text is of every agent, and common words are of every user. */
function scopesOf(rows: readonly Row[]): Scope[] {
  const known = ["ada", "bob"].flatMap((agent) => ["bo", "cy", "di"].map((user) => ({ agent, user })));
  const found = rows.flatMap(({ agent, user_id, owner }) => {
    const whose = user_id ?? owner ?? "";
    return known.filter((one) => (agent ?? "ada") === one.agent && (whose === "" ? "bo" : whose) === one.user);
  });
  return [...new Set(found)].concat(found.length === 0 ? known.slice(0, 1) : []);
}

describe.each(homes)("what was changed behind the store's back, on %s", (name) => {
  let place: Place;
  let home: Home;
  let store: Store;
  let restore: () => Promise<void>;
  let amendments: readonly Row[];
  let texts: ReadonlyMap<string, string>;
  beforeAll(async () => {
    place = await newPlace(name);
    home = place.open();
    store = await fill(home);
    restore = await backUp(home);
    amendments = await home.read("everything", (db) => db.all<Row>(raw("select * from amendments")));
    const words = await Promise.all(
      amendments.map(async (row) => {
        const scope = row.user_id === "" ? { agent: row.agent } : { agent: row.agent, user: row.user_id };
        const recorded = await store.history.at(scope as Scope, row.section as string, row.revision as number);
        return [rowName.amendments(row), recorded?.after as string] as const;
      }),
    );
    texts = new Map(words);
  });
  afterEach(() => restore());
  afterAll(async () => {
    await store?.close();
    await place?.remove();
  });

  /** The newest revision nobody touched, and its words; revision 0 and the original when there is none. */
  const newestUntouched = (scope: Scope, section: string, { what, table, before }: Tampering) => {
    // Words that are only said to be erased are still there, and can still be proved.
    const touched = table === "amendments" && what !== "edit amendments.erased_at" ? before : [];
    const rows = amendments
      .filter((row) => row.agent === scope.agent && row.section === section)
      .filter((row) => row.user_id === (section === "goals" ? "" : scope.user) && !isIn(touched, row));
    const newest = rows.reduce((most, row) => Math.max(most, row.revision as number), 0);
    const row = rows.find(({ revision }) => revision === newest);
    return row ? texts.get(rowName.amendments(row)) : originals[section];
  };
  /** Whether reading this section looks at a row that was touched: the last amendment, or the words beside it. */
  const looksAt = (scope: Scope, section: string, { table, before }: Tampering) =>
    before.some(
      (row) =>
        row.agent === scope.agent &&
        row.section === section &&
        row.user_id === (section === "goals" ? "" : scope.user) &&
        (table === "standings" || (table === "amendments" && row.revision === 8)),
    );

  /** The next amendment is made and stands, and the next step is kept. */
  const goesOn = async (fresh: Store, scope: Scope, what: string) => {
    const operation = { kind: "rewrite", content: "Go on." } as const;
    const outcome = await fresh.propose(deskFor(scope), { section: "wishes", operation, actor: "user" });
    expect([what, outcome.verdict]).toEqual([what, "accepted"]);
    expect((await fresh.standings.read(charter, scope)).wishes).toMatchObject({ text: "Go on." });
    const { id } = await fresh.turns.open({ scope, input: "And now?" });
    const { text } = await keepStep(fresh, id, scope, "9:00");
    if (!what.endsWith("texts") && !what.startsWith("edit texts"))
      expect((await fresh.steps.replay(id)).slots.map((slot) => slot.text)).toEqual([text]);
  };

  test("an untouched store verifies, whole and by agent", async () => {
    const counted = await home.read("everything", (db) => db.one<Row>(raw("select count(*) as count from texts")));
    expect(await verifyStore(home)).toEqual({
      amendments: 64,
      steps: 48,
      texts: counted?.count,
      attachments: 0,
      erased: 0,
      orphans: 0,
      faults: [],
      further: 0,
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
      "update steps set came = '{}' where agent = 'bob' and number = 4",
      [["steps", "agent bob, step 4", "edited", "what came of it was changed"]],
    ],
    [
      "a step that only looks erased",
      "update steps set erased_at = '2026-02-18' where agent = 'bob' and number = 3",
      [["steps", "agent bob, step 3", "edited", "what came of it was changed"]],
    ],
    [
      "the end of the receipts moved back",
      "update chains set number = 20 where agent = 'bob'",
      [["chains", "agent bob", "edited", "it names number 20, and the chain ends with number 24"]],
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

  test("many single rows edited, deleted and swapped: each is named, and the agent goes on", async () => {
    const random = randomFrom(Number(process.env.TAMPER_SEED ?? 20260218));
    const kinds = new Set<string>();
    const times = whole ? 100 : name === "sqlite" ? 40 : 10;
    for (let count = 0; count < times; count++) {
      const tampering = await tamper(home, random);
      const { what, table, before, after } = tampering;
      kinds.add(what);
      const { faults } = await verifyStore(home);
      const named = faults.filter((fault) => fault.table === table).map(({ row }) => row);
      before.forEach((row, index) => {
        const names = [rowName[table](row), ...(after[index] ? [rowName[table](after[index])] : [])];
        expect([what, names, faults], `${count}: ${what} of ${names}`).toSatisfy(() =>
          names.some((one) => named.includes(one)),
        );
      });

      const fresh = await createStore(home);
      const concerned = scopesOf([...before, ...after]);
      for (const scope of concerned) {
        const standing = await fresh.standings.read(charter, scope);
        for (const section of ["goals", "wishes"]) {
          const found = standing[section];
          const text = found && "text" in found ? found.text : originals[section];
          const expected = newestUntouched(scope, section, tampering);
          expect([count, what, section, text]).toEqual([count, what, section, expected]);
          if (!looksAt(scope, section, tampering)) continue;
          expect(found).toMatchObject({ notices: [{ code: "standing-invalid", section }] });
          const events = await fresh.events.list({ agent: scope.agent, kind: "standing-invalid" });
          expect(events.map(({ detail }) => detail.section)).toContain(section);
        }
      }
      await goesOn(fresh, concerned[0] as Scope, what);
      await restore();
    }
    expect(kinds.size).toBeGreaterThan(whole ? 25 : name === "sqlite" ? 15 : 5);
    expect((await verifyStore(home)).faults).toEqual([]);
  });
});
