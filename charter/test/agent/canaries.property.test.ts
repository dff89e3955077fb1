import { afterEach, beforeEach, expect, test } from "vitest";
import { readMemory, saveMemory } from "../../src/agent/index.ts";
import type { ModelRequest } from "../../src/delivery/model.ts";
import { fromText } from "../../src/index.ts";
import { randomFrom, runs, seed } from "../tiers/search.ts";
import { bytesOf, calls, type Line, scripted } from "./model.ts";
import { amends, newStage, type Stage, tool } from "./stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

/** The same numbers for the same start: what is found once is found again. */
function dice(start: number): (sides: number) => number {
  const random = randomFrom(start);
  return (sides) => Math.floor(random() * sides);
}

/** Every word of a user's carries their name: wherever it comes from, it is seen whose it is. */
const canary = (user: string, what: string | number) => `canary-${user}-${what}`;
const ownersIn = (request: ModelRequest) =>
  new Set([...bytesOf(request).matchAll(/canary-(\w+)-/g)].map((found) => found[1]));

const users = ["eva", "bo", "cem", "dua", "eli"];
const note = tool("note", (input, { scope }) =>
  canary(scope.user ?? "nobody", `noted-${JSON.stringify(input).length}`),
);
const browse = tool("browse", (_, { scope }) => canary(scope.user ?? "nobody", "page"), { harmless: true });
const send = tool("send", (_, { scope }) => canary(scope.user ?? "nobody", "sent"), { trusted: true });
const tools = [amends, note, browse, send, saveMemory(), readMemory()];

test("no word of a user's reaches another's request, in many mixed turns on two replicas", async () => {
  const roll = dice(seed);
  // Each turn has dice of its own: what others do at the same time, and how fast, changes nothing.
  const thrown = new Map<string, ReturnType<typeof dice>>();
  const diceOf = (turn: string) => {
    const own =
      thrown.get(turn) ?? dice([...turn].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), seed) % 1e9);
    thrown.set(turn, own);
    return own;
  };
  stage.world.place = ({ user }) => fromText(`You are at ${canary(user ?? "nobody", "home")}.`);
  stage.world.inbox = ({ user = "nobody" }) => fromText(diceOf(user)(4) === 0 ? canary(user, "letter") : "");

  /** Acts for whoever the request is for, now with tools, now with a fault, now with an answer. */
  const acts: Line = (request) => {
    // The place is in every prompt, whatever else is left of what was said.
    const user = /You are at canary-(\w+)-home/.exec(bytesOf(request))?.[1] as string;
    const turn = [...bytesOf(request).matchAll(/canary-\w+-input-(\w+)/g)].at(-1)?.[1] ?? user;
    const throwing = diceOf(turn);
    const word = canary(user, throwing(1000));
    const choices: Line[] = [
      `Said ${word}.`,
      `Said ${word}.`,
      `Said ${word}.`,
      calls(["amend", { section: "wishes", content: `Wish ${word}.` }]),
      calls(["save_memory", { content: `Remember ${word}.` }], ["read_memory", {}]),
      calls(["note", { word }], ["browse", {}]),
      calls(["send", { word }], ["nothing", { word }]),
      { fault: { code: "model-rejected", message: word, retry: false } },
    ];
    return choices[throwing(choices.length)] as Line;
  };
  const model = scripted([acts]);
  const limits = { steps: 4 };
  const hook = {
    name: "greet",
    "before-turn": ({ user }: { user: string | null }) => ({ message: canary(user ?? "nobody", "hook") }),
  };
  const agents = [
    stage.agent(model, { tools, compactAt: 600, limits, hooks: [hook] }),
    stage.agent(model, { tools, compactAt: 600, limits, hooks: [hook], store: await stage.another() }),
  ];
  const kinds = new Set<string>();
  const rounds = runs(12, 400);
  for (let round = 0; round < rounds; round++) {
    const turns = Array.from({ length: 6 }, (_, index) => {
      const user = users[roll(users.length)] as string;
      const session = roll(8) === 0 ? { session: "new" } : {};
      const input = `I am ${user}: ${canary(user, `input-${round}x${index}`)}.`;
      return agents[roll(2)]?.runTurn({ input, user, ...session });
    });
    for (const outcome of await Promise.all(turns)) kinds.add(outcome?.state as string);
    for (const { id } of await stage.store.calls.list({ agent: "ada" })) await stage.store.calls.approve(id, "olga");
  }
  expect(kinds).toEqual(new Set(["answered", "failed"]));
  expect(agents.flatMap(({ events }) => events).some(({ kind }) => kind === "compacted")).toBe(true);
  expect(model.requests.length).toBeGreaterThan(6 * rounds);
  const mixed = model.requests.map((request) => [...ownersIn(request)]).filter((owners) => owners.length !== 1);
  expect(mixed).toEqual([]);
});
