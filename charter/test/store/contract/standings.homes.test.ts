import { expect, test } from "vitest";
import { defineCharter } from "../../../src/index.ts";
import { type Query, sql } from "../../../src/store/home/sql.ts";
import { charter, deskOf, rewrite } from "../desk.ts";
import { onEveryHome } from "./given.ts";

/** Words longer than this may not stand (any more). */
const longest = (max: number) => (_section: string, text: string) =>
  text.length > max ? `it has ${text.length} characters; the limit is ${max}` : undefined;

onEveryHome("standing words", (given) => {
  const amended = async (...words: readonly string[]) => {
    const agent = await given.agent();
    for (const text of words) await given.store.propose(deskOf({ scope: { agent } }), rewrite(text));
    return { agent };
  };
  const behindItsBack = (query: Query) => given.store.home.write("everything", (db) => db.run(query));

  test("words a lowered limit forbids do not stand: the newest revision that holds does, and it is told once", async () => {
    const scope = await amended("One.", "Two.", "A third that is long.", "A fourth that is longer.");
    const because = "revision 4 cannot be used: it has 24 characters; the limit is 8";
    const message = `The current text of “goals” is not used: ${because}. Revision 2 is used.`;
    const notices = [{ code: "standing-invalid", section: "goals", message }];
    for (let times = 0; times < 3; times++)
      expect(await given.store.standings.read(charter, scope, longest(8))).toEqual({
        goals: { text: "Two.", revision: 2, notices },
      });
    const told = await given.store.events.list({ agent: scope.agent, kind: "standing-invalid" });
    expect(told).toEqual([
      {
        id: expect.any(Number),
        scope,
        at: given.clock.text(),
        kind: "standing-invalid",
        turn: null,
        detail: { section: "goals", revision: 4, stands: 2, because },
      },
    ]);
    expect(await given.store.standings.read(charter, scope)).toEqual({
      goals: { text: "A fourth that is longer.", revision: 4 },
    });
  });

  test("when nothing that was ever said may stand, the original does", async () => {
    const scope = await amended("One is long.", "Two is long.");
    const message =
      "The current text of “goals” is not used: revision 2 cannot be used: it has 12 characters; the limit is 8. The original is used.";
    expect(await given.store.standings.read(charter, scope, longest(8))).toEqual({
      goals: { text: "Grow.", revision: 0, notices: [{ code: "standing-invalid", section: "goals", message }] },
    });
  });

  test("a proposal builds on what stands, goes to the end of the chain, and was current if made against it", async () => {
    const scope = await amended("One.", "Two.", "A third that is long.");
    const context = deskOf({ scope, fault: longest(8) });
    const more = { kind: "append", content: "+" } as const;
    const against = (revision: number) => rewrite("", { operation: more, revision });
    const stale = await given.store.propose(context, against(1));
    expect(stale).toMatchObject({ verdict: "refused", before: "Two.", refusals: [{ guard: "stale-revision" }] });
    const accepted = await given.store.propose(context, against(2));
    expect(accepted).toMatchObject({ verdict: "accepted", before: "Two.", after: "Two.\n+", revision: 4 });
    expect(await given.store.standings.read(charter, scope, longest(8))).toEqual({
      goals: { text: "Two.\n+", revision: 4 },
    });
    const [fourth, third] = await given.store.history.listWhole(scope, "goals");
    expect(fourth).toMatchObject({ revision: 4, before: "Two.", after: "Two.\n+", previous: third?.digest });
    const next = await given.store.propose(context, rewrite("Five.", { revision: 4 }));
    expect(next).toMatchObject({ verdict: "accepted", before: "Two.\n+", revision: 5 });
  });

  const edits: [what: string, edit: (agent: string) => Query, stands: string, revision: number, because: string][] = [
    [
      "a row whose reason was edited",
      (agent) => sql`update amendments set reason = ${"forged"} where agent = ${agent} and revision = ${3}`,
      "Two.",
      2,
      "revision 3 cannot be used: it was changed behind the store's back",
    ],
    [
      "a row whose actor was edited",
      (agent) => sql`update amendments set actor = ${"operator"} where agent = ${agent} and revision = ${3}`,
      "Two.",
      2,
      "revision 3 cannot be used: it was changed behind the store's back",
    ],
    [
      "a row that is gone",
      (agent) => sql`delete from amendments where agent = ${agent} and revision = ${3}`,
      "Two.",
      2,
      "revision 3 is missing",
    ],
  ];
  for (const [what, edit, text, revision, because] of edits)
    test(`${what} does not stand`, async () => {
      const scope = await amended("One.", "Two.", "Three.");
      expect(await given.store.standings.read(charter, scope)).toEqual({ goals: { text: "Three.", revision: 3 } });
      await behindItsBack(edit(scope.agent));
      const message = `The current text of “goals” is not used: ${because}. Revision ${revision} is used.`;
      const notices = [{ code: "standing-invalid", section: "goals", message }];
      expect(await given.store.standings.read(charter, scope)).toEqual({ goals: { text, revision, notices } });
      const next = await given.store.propose(deskOf({ scope }), rewrite("Four.", { revision }));
      expect(next).toMatchObject({ verdict: "accepted", before: text, after: "Four.", revision: 4 });
      expect(await given.store.standings.read(charter, scope)).toEqual({ goals: { text: "Four.", revision: 4 } });
    });

  test("words edited beside the chain are not believed: the chain has them", async () => {
    const scope = await amended("One.", "Two.");
    const noticed = (because: string) => {
      const message = `The current text of “goals” is not used: the words kept beside its history ${because}. Revision 2 is used.`;
      return {
        goals: { text: "Two.", revision: 2, notices: [{ code: "standing-invalid", section: "goals", message }] },
      };
    };
    expect(await given.store.standings.read(charter, scope)).toEqual({ goals: { text: "Two.", revision: 2 } });
    await behindItsBack(sql`update standings set words = ${"Forged."} where agent = ${scope.agent}`);
    expect(await given.store.standings.read(charter, scope)).toEqual(noticed("were changed behind the store's back"));
    await behindItsBack(sql`delete from standings where agent = ${scope.agent}`);
    expect(await given.store.standings.read(charter, scope)).toEqual(noticed("are missing"));
    const next = await given.store.propose(deskOf({ scope }), rewrite("Three.", { revision: 2 }));
    expect(next).toMatchObject({ verdict: "accepted", before: "Two.", revision: 3 });
    expect(await given.store.standings.read(charter, scope)).toEqual({ goals: { text: "Three.", revision: 3 } });
  });

  test("a history that is gone altogether is not taken for a new agent's", async () => {
    const scope = await amended("One.", "Two.");
    await behindItsBack(sql`delete from amendments where agent = ${scope.agent}`);
    const message = "The current text of “goals” is not used: revision 2 is missing. The original is used.";
    expect(await given.store.standings.read(charter, scope)).toEqual({
      goals: { text: "Grow.", revision: 0, notices: [{ code: "standing-invalid", section: "goals", message }] },
    });
    const next = await given.store.propose(deskOf({ scope }), rewrite("Anew.", { revision: 0 }));
    expect(next).toMatchObject({ verdict: "accepted", before: "Grow.", revision: 3 });
  });

  test("many revisions back, what holds is still found", async () => {
    const scope = await amended("One.");
    const context = deskOf({ scope });
    for (let index = 0; index < 60; index++) await given.store.propose(context, rewrite(`Too long by far: ${index}`));
    expect(await given.store.standings.read(charter, scope, longest(8))).toMatchObject({
      goals: { text: "One.", revision: 1 },
    });
  });

  test("a charter of 2,000 sections that can be amended is read like any other", async () => {
    const sections = Array.from({ length: 2000 }, (_, index) => ({ name: `matter-${index}`, original: "Open." }));
    const many = defineCharter({
      name: "many",
      layers: [{ name: "own", mutability: { amendableBy: ["agent"], scope: "agent" }, sections }],
    });
    const scope = { agent: await given.agent() };
    for (const section of ["matter-0", "matter-1234", "matter-1999"])
      await given.store.propose(deskOf({ scope, charter: many }), rewrite("Settled.", { section }));
    expect(await given.store.standings.read(many, scope)).toEqual({
      "matter-0": { text: "Settled.", revision: 1 },
      "matter-1234": { text: "Settled.", revision: 1 },
      "matter-1999": { text: "Settled.", revision: 1 },
    });
  });
});
