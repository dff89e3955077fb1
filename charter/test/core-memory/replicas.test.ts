import { describe, expect, onTestFinished, test } from "vitest";
import type { ProposalOutcome } from "../../src/store/index.ts";
import { homes, newPlace, type PlaceName } from "../homes.ts";
import { newResident } from "./resident-stage.ts";

const stage = async (home: PlaceName) => {
  const made = await newResident(home);
  onTestFinished(made.close);
  return made;
};
const textsOf = (history: readonly (readonly [number, string, string | null])[]) => history.map(([, , text]) => text);
const verdictOf = (outcome: ProposalOutcome) =>
  "refusals" in outcome ? outcome.refusals.map(({ guard }) => guard) : [outcome.verdict, outcome.publication?.state];

describe.each(homes)("two machines on one %s", (home) => {
  test("what one writes, the other has in its next turn", async () => {
    const one = await stage(home);
    const two = await one.another();
    expect(await two.prompt()).toContain("You are new here.");
    expect(verdictOf(await one.set("You are Ada."))).toEqual(["accepted", "published"]);
    expect(await two.prompt()).toBe("You live in a house.\n\nYou are Ada.");
    await two.host.runTurn({ agent: "ada", input: "Who are you?" });
    expect(JSON.stringify(two.model.requests.at(-1))).toContain("You are Ada.");
  });

  test("both write at once against the same text: one event stands, the other is stale, nothing is lost", async () => {
    const one = await stage(home);
    const two = await one.another();
    await one.set("You are Ada.");
    const revision = 1;
    const outcomes = await Promise.all([
      one.set("You are Ada, and like trains.", { revision }),
      two.set("You are Ada, and like ships.", { revision }),
    ]);
    expect(outcomes.map(verdictOf).sort()).toEqual([["accepted", "published"], ["stale-revision"]]);
    const stale = outcomes.find(({ verdict }) => verdict === "refused");
    const accepted = outcomes.find(({ verdict }) => verdict === "accepted") as ProposalOutcome & { after: string };
    // Whoever was too late is shown both texts.
    expect(stale).toMatchObject({ before: accepted.after, proposed: expect.stringMatching(/trains|ships/) });
    expect(textsOf(await one.history())).toEqual([accepted.after, "You are Ada."]);
    expect((await one.relay.held()).map(({ id }) => id)).toEqual([accepted.publication?.id]);
    for (const machine of [one, two]) expect(await machine.prompt()).toContain(accepted.after);
  });

  test("both write at once, whatever stands: two revisions, the later event stands, and nobody is told otherwise", async () => {
    const one = await stage(home);
    const two = await one.another();
    const outcomes = await Promise.all([one.set("You like trains."), two.set("You like ships.")]);
    for (const outcome of outcomes) expect(outcome.verdict).toBe("accepted");
    const [newest, older] = (await one.history()).map(([, , text]) => text);
    expect([newest, older].sort()).toEqual(["You like ships.", "You like trains."]);
    const [event, ...others] = await one.relay.held();
    expect(others).toEqual([]);
    const later = outcomes.find((outcome) => "after" in outcome && outcome.after === newest);
    expect(later?.publication).toMatchObject({ id: event?.id, state: "published" });
    for (const machine of [one, two]) expect(await machine.prompt()).toContain(newest);
    expect((await one.store.publications.list({ agent: "ada", state: "waiting" })).length).toBe(0);
  });
});

/** Two stores, two databases, one key: both have read the same, and write without knowing of each other. */
async function twoStores() {
  const one = await stage("sqlite");
  const two = await one.another(await newPlace("sqlite"));
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
  const one = await stage("sqlite");
  const two = await one.another(await newPlace("sqlite"));
  await two.store.agents.add({ name: "ada", charter: "resident", settings: one.settings() });
  await one.set("You are Ada.");
  one.time.now = new Date(one.time.now.getTime() - 60_000);
  expect(verdictOf(await two.set("You are Ada, and like ships."))).toEqual(["accepted", "published"]);
  expect(await one.prompt()).toContain("You are Ada, and like ships.");
  for (const machine of [one, two])
    expect(textsOf(await machine.history())).toEqual(["You are Ada, and like ships.", "You are Ada."]);
});
