import { expect, test } from "vitest";
import type { ProposalOutcome } from "../../src/store/index.ts";
import { newFile } from "../homes.ts";
import { residentHere as stage } from "./resident-stage.ts";

const textsOf = (history: readonly (readonly [number, string, string | null])[]) => history.map(([, , text]) => text);

/** Two stores, two databases, one key: both have read the same, and write without knowing of each other. */
async function twoStores() {
  const one = await stage();
  const two = await one.another(await newFile());
  await two.store.agents.add({ name: "ada", charter: "resident", settings: one.settings() });
  await one.set("You are Ada.");
  await two.prompt();
  const contexts = await Promise.all([one, two].map(({ host }) => host.amendmentContext({ agent: "ada" })));
  const write = (which: 0 | 1, content: string) =>
    [one, two][which]?.store.propose(contexts[which] as (typeof contexts)[0], {
      section: "core",
      operation: { kind: "rewrite", content },
      actor: "agent",
    }) as Promise<ProposalOutcome & { readonly after: string }>;
  return { one, two, write };
}

test("two stores with the same key: the one that comes too late is told both texts, and nothing is lost", async () => {
  const { one, two, write } = await twoStores();
  one.time.now = new Date(one.time.now.getTime() + 60_000);
  const won = await write(0, "You are Ada, and like trains.");
  one.time.now = new Date(one.time.now.getTime() - 60_000);
  const lost = await write(1, "You are Ada, and like ships.");
  expect(lost).toMatchObject({
    verdict: "accepted",
    revision: 2,
    publication: {
      state: "superseded",
      conflict: { ours: "You are Ada, and like ships.", theirs: won.after, id: won.publication?.id },
    },
  });
  expect((await one.relay.held()).map(({ id }) => id)).toEqual([won.publication?.id]);
  for (const machine of [one, two]) expect(await machine.prompt()).toContain(won.after);
  expect(textsOf(await two.history())).toEqual([won.after, lost.after, "You are Ada."]);
  expect(await two.store.events.list({ agent: "ada", kind: "publication-conflict" })).toMatchObject([
    { detail: { section: "core", revision: 2, id: lost.publication?.id, by: won.publication?.id } },
  ]);
});

test("two stores with the same key that write at the same moment come to one text, and nothing is lost", async () => {
  const { one, two, write } = await twoStores();
  const outcomes = await Promise.all([write(0, "You like trains."), write(1, "You like ships.")]);
  const [event, ...others] = await one.relay.held();
  expect(others).toEqual([]);
  const won = outcomes.findIndex(({ publication }) => publication?.id === event?.id);
  const [winner, loser] = [outcomes[won], outcomes[1 - won]];
  expect(winner?.publication?.state).toBe("published");
  for (const machine of [one, two]) expect(await machine.prompt()).toContain(winner?.after);
  const losing = won === 0 ? two : one;
  expect(textsOf(await losing.history()).slice(0, 2)).toEqual([winner?.after, loser?.after]);
  // It was told at once; or its event stood there for a moment, which the other's history knows of.
  if (loser?.publication?.state === "superseded")
    expect(loser.publication.conflict).toEqual({ ours: loser.after, theirs: winner?.after, id: event?.id });
  else expect(textsOf(await (won === 0 ? one : two).history())).toContain(loser?.after);
});

test("two stores, one after the other with a clock that is behind: the later write stands, the earlier is in its history", async () => {
  const one = await stage();
  const two = await one.another(await newFile());
  await two.store.agents.add({ name: "ada", charter: "resident", settings: one.settings() });
  await one.set("You are Ada.");
  one.time.now = new Date(one.time.now.getTime() - 60_000);
  expect(await two.set("You are Ada, and like ships.")).toMatchObject({
    verdict: "accepted",
    publication: { state: "published" },
  });
  expect(await one.prompt()).toContain("You are Ada, and like ships.");
  for (const machine of [one, two])
    expect(textsOf(await machine.history())).toEqual(["You are Ada, and like ships.", "You are Ada."]);
});
