import { describe, expect, test } from "vitest";
import type { ProposalOutcome } from "../../src/store/index.ts";
import { homes } from "../homes.ts";
import { residentHere as stage } from "./resident-stage.ts";

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
    await two.host.runTurn({ agent: "ada", input: "Who are you?", user: null });
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
