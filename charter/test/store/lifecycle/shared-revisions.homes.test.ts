import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkShared } from "../../../src/cli/commands/maintain/doctor-agents.ts";
import type { Store } from "../../../src/store/index.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { homes, newPlace, type Place } from "../../homes.ts";
import { everyRow } from "../declared-rows.ts";
import { charter, deskOf, newStore, rewrite } from "../desk.ts";
import { take } from "../lived.ts";

describe.each(homes)("shared text that came of a user's turn, on %s", (name) => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await newPlace(name);
    store = await newStore(place.open());
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  const standing = async () => (await store.standings.read(charter, { agent: "ada" })).goals;
  const append = async (content: string, user?: string) => {
    const scope = { agent: "ada", ...(user && { user }) };
    const { id: turn } = await store.turns.open({ scope, input: content });
    const change = { section: "goals", operation: { kind: "append", content }, actor: "agent", turn } as const;
    expect((await store.propose(deskOf({ scope }), change)).verdict).toBe("accepted");
    return turn;
  };
  const operator = (content: string) => store.propose(deskOf(), rewrite(content, { actor: "operator" }));
  const everything = async () => (await everyRow(store.home)).map(({ words }) => words).join("\n");
  const shared = () => deskOf();

  test("is listed with what still holds it, and erasing the user alone leaves it and says so", async () => {
    await append("- Be kind.");
    const turn = await append("- Door code 4711.", "mia");
    for (const user of ["mia", "bo"]) await take(store, "ada", user, "Hello.");
    const found = {
      ...{ agent: "ada", section: "goals", revision: 2, at: expect.stringMatching(/^2026/), user: "mia", turn },
      ...{ approved: false, stands: true, kept: true, sentSince: 1 },
    };
    expect(await store.sharedRevisions()).toEqual([found]);
    expect((await store.erasable({ user: "mia" })).shared).toEqual([found]);
    expect(await checkShared(store)).toEqual([
      {
        what: "All users of “ada” read words of “goals” that came of turns of “mia” (revision 2, since 2026-02-18).",
        fine: false,
        hint: "See them with `charter history --agent ada goals`; take them out with `charter revert` or `charter amend`, or with `charter erase --user mia --shared`.",
      },
    ]);
    expect((await store.erase({ user: "mia" })).shared).toEqual([found]);
    expect(await standing()).toMatchObject({ text: "Grow.\n- Be kind.\n- Door code 4711." });
    expect(await store.sharedRevisions({ user: "mia" })).toEqual([found]);
    expect(await store.sharedRevisions({ user: "bo" })).toEqual([]);
  });

  test("is taken out by going back, where nothing came after it, and is nowhere any more", async () => {
    await append("- Be kind.");
    await append("- Door code 4711.", "mia");
    const { shared: left } = await store.erase({ user: "mia", shared });
    expect(left).toMatchObject([{ revision: 2, stands: false, kept: false }]);
    expect(await standing()).toEqual({ text: "Grow.\n- Be kind.", revision: 4 });
    expect(
      (await store.history.list({ agent: "ada" }, "goals")).map(({ operation, actor }) => [operation, actor]),
    ).toEqual([
      ["rewrite", "operator"],
      ["revert", "operator"],
      ["append", "agent"],
      ["append", "agent"],
    ]);
    expect(await everything()).not.toContain("4711");
    expect(await verifyStore(store.home)).toMatchObject({ faults: [], orphans: 0 });
  });

  test("is cut out of what others wrote around it, and what came of their turns stays theirs", async () => {
    await append("- Door code 4711.", "mia");
    const bos = await append("- Bo likes jazz.", "bo");
    await append("- Be kind.");
    expect((await store.erase({ user: "mia", shared })).shared).toMatchObject([{ stands: false, kept: false }]);
    expect(await standing()).toMatchObject({ text: "Grow.\n- Bo likes jazz.\n- Be kind." });
    expect(await everything()).not.toContain("4711");
    expect(await store.sharedRevisions({ user: "bo" })).toMatchObject([
      { turn: bos, revision: 2, stands: false, kept: false },
      { turn: bos, revision: 6, stands: true, kept: true },
    ]);
    await store.erase({ user: "bo", shared });
    expect(await standing()).toMatchObject({ text: "Grow.\n- Be kind." });
    expect(await everything()).not.toContain("jazz");
    expect(await verifyStore(store.home)).toMatchObject({ faults: [], orphans: 0 });
  });

  test("that no longer stands is in the history, and goes with it", async () => {
    await append("- Door code 4711.", "mia");
    await operator("Grow slowly.");
    expect((await store.erasable({ user: "mia" })).shared).toMatchObject([{ stands: false, kept: true }]);
    await store.erase({ user: "mia", shared });
    expect(await checkShared(store)).toEqual([]);
    expect(await standing()).toMatchObject({ text: "Grow slowly." });
    expect(await everything()).not.toContain("4711");
  });

  test("that a guard does not let go of is reset, and an agent that is frozen says why it stands", async () => {
    await append("- Door code 4711.", "mia");
    await operator("Grow.\n- Door code 4711. Knock.");
    await store.agents.freeze("ada", "amendments");
    const because = expect.stringContaining("frozen");
    expect((await store.erase({ user: "mia", shared })).shared).toMatchObject([{ stands: true, kept: true, because }]);
    await store.agents.thaw("ada");
    const opening = () =>
      deskOf({
        rules: () => ({
          guards: [({ operation }) => (operation.kind === "reset" ? undefined : { guard: "no", because: "No." })],
        }),
      });
    expect((await store.erase({ user: "mia", shared: opening })).shared).toMatchObject([
      { stands: false, kept: false },
    ]);
    expect(await standing()).toMatchObject({ text: "Grow." });
    expect(await everything()).not.toContain("4711");
  });
});
