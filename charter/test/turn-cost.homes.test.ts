import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { createAgent } from "../src/agent/index.ts";
import { assistant, exampleSoul } from "../src/charters/index.ts";
import { loadModel } from "../src/delivery/index.ts";
import { createStore } from "../src/store/index.ts";
import { homes, newPlace } from "./homes.ts";
import { noteStatements } from "./note-statements.ts";
import { post, type Said, user } from "./server/gateway/gateway-stage.ts";
import { newServed } from "./server/served.ts";

/**
 * What a turn asks of its database, which no machine changes. The figures are in ledger.json: whoever raises one says why
 * in the same commit, whoever lowers one writes it down, so that it does not creep back.
 */
const ledger = JSON.parse(readFileSync(new URL("./ledger.json", import.meta.url), "utf8"));

const hint = "Ask for less, or write the figure into charter/test/ledger.json and say why in the commit. Asked:";

test.each(homes)("the sixth turn of a small assistant, on %s", async (name) => {
  const place = await newPlace(name);
  let time = Date.UTC(2026, 1, 18, 12);
  const now = () => new Date(time++);
  const store = await createStore(place.open(), { now, random: (bytes) => bytes.fill(1) });
  const model = await loadModel("stand-in/scripted", { env: {} });
  const charter = assistant({ soul: exampleSoul });
  const agent = createAgent({ name: "ada", charter, model, store, clock: now, random: () => 0.5 });
  const take = (turn: number) =>
    agent.runTurn({ user: "bo", channel: "web", input: `What is on today? This is question ${turn}.` });
  try {
    for (let turn = 1; turn <= 5; turn++) await take(turn);
    const logged = () => statSync(`${place.url}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    const noted = noteStatements(logged);
    await take(6).finally(noted.stop);
    const { pages, ...counts } = noted.cost;
    const cost = name === "sqlite" ? noted.cost : counts;
    expect(cost, [hint, ...noted.said].join("\n")).toEqual(ledger.turn[name]);
  } finally {
    await store.close();
    await place.remove();
  }
});

test.each(homes)(
  "the same as a model of OpenAI's API, on %s: one read more, which finds the conversation",
  async (name) => {
    const served = await newServed({ home: name, openai: true, every: () => () => {} });
    const secret = await served.token({ kind: "user", user: "bo" });
    const messages: Said[] = [];
    const ask = async (turn: number) => {
      messages.push(user(`What is on today? This is question ${turn}.`));
      const { body } = await post(served, secret, { model: "ada", messages });
      messages.push(body.choices[0].message);
    };
    try {
      for (let turn = 1; turn <= 5; turn++) await ask(turn);
      const noted = noteStatements(() => 0);
      await ask(6).finally(noted.stop);
      const { pages: _, ...cost } = noted.cost;
      expect(cost, noted.said.join("\n")).toEqual(ledger.gateway[name]);
    } finally {
      await served.close();
    }
  },
);

test.each(homes)("the same over HTTP, on %s: what the server asks beside the turn", async (name) => {
  // Whether the caller still may is asked by the clock too, and is none of a turn's cost.
  const served = await newServed({ home: name, every: () => () => {} });
  const ask = (turn: number) =>
    served.bo("POST /agents/ada/turns", { input: `What is on today? This is question ${turn}.` });
  try {
    for (let turn = 1; turn <= 5; turn++) await ask(turn);
    const noted = noteStatements(() => 0);
    await ask(6).finally(noted.stop);
    const { pages: _, ...cost } = noted.cost;
    expect(cost, [hint, ...noted.said].join("\n")).toEqual(ledger.http[name]);
  } finally {
    await served.close();
  }
});
