import { expect } from "vitest";
import type { Scope } from "../../../src/index.ts";
import { type Row, raw } from "../../../src/store/home/sql.ts";
import { createStore, type Store } from "../../../src/store/index.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { charter, deskFor, keepStep } from "../filled.ts";
import { type Random, type Table, type Tampering, tamper } from "./tamper.ts";

const rowName: Readonly<Record<Table, (row: Row) => string>> = {
  amendments: (row) => `${rowName.standings(row)}, revision ${row.revision}`,
  standings: ({ agent, user_id, section }) =>
    `agent ${agent}${user_id === "" ? "" : `, user ${user_id}`}, section ${section}`,
  steps: ({ agent, number }) => `agent ${agent}, step ${number}`,
  hash_chains: ({ agent }) => `agent ${agent}`,
  texts: ({ owner, digest }) => (owner === "" ? `digest ${digest}` : `user ${owner}, digest ${digest}`),
};

const originals: Readonly<Record<string, string>> = { goals: "Grow.", wishes: "" };

/** Changes rows of a filled store at random, one after the other: each is named, the agent goes on, all is put back. Gives the kinds of change. */
export async function tamperOften(
  store: Store,
  restore: () => Promise<void>,
  { times, random }: { readonly times: number; readonly random: Random },
): Promise<ReadonlySet<string>> {
  const { home } = store;
  const newestUntouched = await whatStood(store);
  const kinds = new Set<string>();
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
  expect((await verifyStore(home)).faults).toEqual([]);
  return kinds;
}

/** The words of the newest revision of a section that nobody touched; those of the original where there is none. */
async function whatStood(store: Store) {
  const amendments = await store.home.read("everything", (db) => db.all<Row>(raw("select * from amendments")));
  const words = await Promise.all(
    amendments.map(async (row) => {
      const scope = row.user_id === "" ? { agent: row.agent } : { agent: row.agent, user: row.user_id };
      const recorded = await store.history.at(scope as Scope, row.section as string, row.revision as number);
      return [rowName.amendments(row), recorded?.after as string] as const;
    }),
  );
  const texts = new Map(words);
  return (scope: Scope, section: string, { what, table, before }: Tampering) => {
    // Words that are only said to be erased are still there, and can still be proved.
    const touched =
      table === "amendments" && what !== "edit amendments.erased_at" ? before.map(rowName.amendments) : [];
    const rows = amendments
      .filter((row) => row.agent === scope.agent && row.section === section)
      .filter((row) => row.user_id === (section === "goals" ? "" : scope.user))
      .filter((row) => !touched.includes(rowName.amendments(row)));
    const newest = rows.reduce((most, row) => Math.max(most, row.revision as number), 0);
    const row = rows.find(({ revision }) => revision === newest);
    return row ? texts.get(rowName.amendments(row)) : originals[section];
  };
}

/** Whether reading this section looks at a row that was touched: the last amendment, or the words beside it. */
function looksAt(scope: Scope, section: string, { table, before }: Tampering): boolean {
  return before.some(
    (row) =>
      row.agent === scope.agent &&
      row.section === section &&
      row.user_id === (section === "goals" ? "" : scope.user) &&
      (table === "standings" || (table === "amendments" && row.revision === 8)),
  );
}

/** The agents and users whose rows these are; a text is of every agent, and common words are of every user. */
function scopesOf(rows: readonly Row[]): Scope[] {
  const known = ["ada", "bob"].flatMap((agent) => ["bo", "cy", "di"].map((user) => ({ agent, user })));
  const found = rows.flatMap(({ agent, user_id, owner }) => {
    const whose = user_id ?? owner ?? "";
    return known.filter((one) => (agent ?? "ada") === one.agent && (whose === "" ? "bo" : whose) === one.user);
  });
  return [...new Set(found)].concat(found.length === 0 ? known.slice(0, 1) : []);
}

/** The next amendment is made and stands, and the next step is kept. */
async function goesOn(fresh: Store, scope: Scope, what: string): Promise<void> {
  const operation = { kind: "rewrite", content: "Go on." } as const;
  const outcome = await fresh.propose(deskFor(scope), { section: "wishes", operation, actor: "user" });
  expect([what, outcome.verdict]).toEqual([what, "accepted"]);
  expect((await fresh.standings.read(charter, scope)).wishes).toMatchObject({ text: "Go on." });
  const { id } = await fresh.turns.open({ scope, input: "And now?" });
  const { text } = await keepStep(fresh, id, scope, "9:00");
  if (!what.endsWith("texts") && !what.startsWith("edit texts"))
    expect((await fresh.steps.replay(id)).slots.map((slot) => slot.text)).toEqual([text]);
}
