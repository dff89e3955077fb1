import { expect } from "vitest";
import type { ModelRequest } from "../../src/delivery/model.ts";
import { allSections, sectionMutability } from "../../src/prompt/charter.ts";
import { type HostStage, newHost } from "./stage.ts";

/** A house with an agent of every charter that takes turns for users. */
export async function newHouse(): Promise<HostStage> {
  const stage = await newHost();
  for (const [name, charter] of [
    ["sol", "sovereign"],
    ["art", "artifact"],
    ["rex", "resident"],
  ] as const)
    await stage.host.store.agents.add({ name, charter });
  return stage;
}

const agents = ["ada", "sol", "art", "rex"];

/** Turns of users on channels, with calls, changes and pauses in between; and the first request that each of them sent. */
async function talk(stage: HostStage, rounds: number): Promise<ReadonlyMap<string, ModelRequest>> {
  const { host, model, time } = stage;
  const first = new Map<string, ModelRequest>();
  for (let round = 0; round < rounds; round++)
    for (const agent of agents)
      for (const user of ["bo", "cy"]) {
        time.now = new Date(time.now.getTime() + (round % 5 === 4 ? 7_200_000 : 40_000));
        const sent = model.requests.length;
        const { turn } = await host.runTurn({ agent, user, channel: "web", input: `Round ${round}: how are you?` });
        first.set(turn, model.requests[sent] as ModelRequest);
        if (round === 3) await host.newSession({ agent, user, channel: "web" });
      }
  return first;
}

/** The amendable sections of an agent, with the words that stand. */
export async function amendableOf({ host }: HostStage, agent: string) {
  const { charter, turn } = (await host.snapshot({ agent })).declaredTurn;
  return allSections(charter)
    .filter(({ section, layer }) => typeof sectionMutability(section, layer) === "object")
    .map(({ section: { name, original = "" } }) => {
      const standing = turn.standing[name];
      return { name, text: standing && "text" in standing ? standing.text : original };
    });
}

/** Talks for so many rounds, and makes each turn's first request again with the words that every section had. */
export async function compareUnchanged(stage: HostStage, rounds: number): Promise<number> {
  const { host } = stage;
  const sent = await talk(stage, rounds);
  let compared = 0;
  for (const agent of agents) {
    const amendable = await amendableOf(stage, agent);
    expect(amendable.length).toBeGreaterThan(0);
    for (const { name, text } of amendable) {
      for (const words of [undefined, text]) {
        const { tried, missing } = await host.trial({ agent, section: name, text: words, turns: 200 });
        expect([name, missing]).toEqual([name, expect.objectContaining({ "charter-changed": 0 })]);
        for (const { turn, request, changed, before, after } of tried) {
          expect(changed).toBe(false);
          expect(after).toEqual(before);
          expect(JSON.stringify(request)).toBe(JSON.stringify(sent.get(turn.id)));
          compared++;
        }
      }
    }
  }
  expect(compared).toBeGreaterThan(2 * sent.size);
  return sent.size;
}
