import { expect } from "vitest";
import type { ModelRequest } from "../../src/delivery/model.ts";
import type { Host } from "../../src/host/host.ts";
import { allSections, sectionMutability, sectionScope } from "../../src/prompt/charter.ts";
import { createTree } from "../coder-tree.ts";
import { type HostStage, newHost } from "./stage.ts";

/** A house with an agent of every charter; “dev” works in a directory, where the host `atDesk` runs it. */
export type House = HostStage & { readonly atDesk: HostStage["host"] };

export async function newHouse(): Promise<House> {
  const stage = await newHost();
  for (const [name, charter] of [
    ["sol", "sovereign"],
    ["art", "artifact"],
    ["rex", "resident"],
    ["dev", "coder"],
  ] as const)
    await stage.host.store.agents.add({ name, charter });
  const tree = createTree({ "project/AGENTS.md": "Tests come first." });
  const workbench = tree.workbench();
  const close = async () => {
    await stage.close();
    workbench.close();
    tree.remove();
  };
  return { ...stage, atDesk: stage.host.at({ workbench }), close };
}

const agents = ["ada", "sol", "art", "rex", "dev"];

/** Turns of users on channels, with calls, changes and pauses in between; and the first request that each of them sent. */
async function talk(stage: House, rounds: number): Promise<ReadonlyMap<string, ModelRequest>> {
  const { model, time } = stage;
  const first = new Map<string, ModelRequest>();
  for (let round = 0; round < rounds; round++)
    for (const agent of agents)
      for (const user of ["bo", "cy"]) {
        time.now = new Date(time.now.getTime() + (round % 5 === 4 ? 7_200_000 : 40_000));
        const host = agent === "dev" ? stage.atDesk : stage.host;
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
    .map(({ section, layer }) => {
      const { name, original = "" } = section;
      const standing = turn.standing[name];
      const user = sectionScope(section, layer) === "user" ? "bo" : undefined;
      return { name, user, text: standing && "text" in standing ? standing.text : original };
    });
}

/** Talks for so many rounds, and makes each turn's first request again with the words that every section had. */
export async function compareUnchanged(stage: House, rounds: number): Promise<number> {
  const { host } = stage;
  const sent = await talk(stage, rounds);
  let compared = 0;
  for (const agent of agents) {
    const amendable = await amendableOf(stage, agent);
    // A coder's prompt is made of files: nobody amends it, and any of its sections names the turns.
    expect(amendable.length > 0).toBe(agent !== "dev");
    for (const { name, text } of agent === "dev" ? [{ name: "base", text: undefined, user: undefined }] : amendable) {
      for (const words of [undefined, text]) {
        const { tried, missing } = await host.trial({ agent, user: null, section: name, text: words, turns: 200 });
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

/** What a model is sent, without what is only for its cache. */
export const plain = ({ tools, system, messages }: ModelRequest) => ({ tools, system, messages });

/** Changes a section as an operator does. */
export async function amend(
  host: Host,
  section: string,
  content: string,
  about: { agent: string; user?: string | undefined },
) {
  const made = await host.store.propose(await host.amendmentContext(about), {
    section,
    operation: { kind: "rewrite", content },
    actor: "operator",
  });
  expect([section, made]).toEqual([section, expect.objectContaining({ verdict: "accepted" })]);
}

const three = ["Hello.", "And now?", "Still there?"];

/** What “bo” says to it, one turn after the other; and the first request of each. */
export async function say(
  { host, model, time }: HostStage,
  agent: string,
  inputs: readonly string[] = three,
): Promise<readonly ModelRequest[]> {
  const first: ModelRequest[] = [];
  for (const input of inputs) {
    time.now = new Date(time.now.getTime() + 40_000);
    const at = model.requests.length;
    await host.runTurn({ agent, user: "bo", channel: "web", input });
    first.push(model.requests[at] as ModelRequest);
  }
  return first;
}

/** “identity” is JSON; of the others any words are. */
const wordsFor = (section: string, text: string) =>
  section === "identity" ? JSON.stringify({ name: "Eva", vibe: "calm", description: text }) : text;

/**
 * Talks in a store, and in others where a section was changed before; then the requests of the first are made again with that
 * change, and are those that were sent in the other. Gives how many were compared, and how many were cut.
 */
export async function compareEdited(texts: readonly string[], inputs: readonly string[]) {
  const was = await newHouse();
  const counted = { compared: 0, cut: 0 };
  for (const agent of agents.filter((one) => one !== "dev")) {
    const began = was.time.now;
    const before = (await say(was, agent, inputs)).map(plain);
    for (const { name, user } of await amendableOf(was, agent))
      for (const text of texts.map((one) => wordsFor(name, one))) {
        const edited = await newHouse();
        edited.time.now = began;
        await amend(edited.host, name, text, { agent, user });
        const sent = (await say(edited, agent, inputs)).map(plain);
        const { tried } = await was.host.trial({ agent, user: user ?? null, section: name, text, turns: 200 });
        expect([name, tried.length]).toEqual([name, inputs.length]);
        for (const [at, { request, cut }] of tried.toReversed().entries()) {
          if (!cut) expect([name, text, plain(request)]).toEqual([name, text, sent[at]]);
          counted[cut ? "cut" : "compared"]++;
        }
        expect(sent).not.toEqual(before);
        await edited.close();
      }
  }
  await was.close();
  return counted;
}
