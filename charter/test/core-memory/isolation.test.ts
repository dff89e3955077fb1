import { expect, test } from "vitest";
import type { CoreMemory } from "../../src/sources/core-memory/core-memory.ts";
import { residentHere as stage } from "./resident-stage.ts";

test("agents of one store share a relay without meeting: each has its own words, and nobody else's", async () => {
  const { set, prompt, resident, relay, history } = await stage();
  const names = ["eva", "bo", "cy"];
  for (const name of names) await resident(name);
  const all = ["ada", ...names];
  for (const agent of all) expect(await prompt(agent)).toContain("You are new here.");
  await Promise.all(all.map((agent) => set(`You are ${agent}.`, { agent })));
  for (const agent of all) {
    expect(await prompt(agent)).toBe(`You live in a house.\n\nYou are ${agent}.`);
    expect(await history(agent)).toEqual([[1, "operator", `You are ${agent}.`]]);
  }
  expect(new Set((await relay.held()).map(({ pubkey }) => pubkey)).size).toBe(4);
});

test("a relay that gives everybody's events to everybody: the others' are no words of hers, and no emptiness", async () => {
  const { elsewhere, prompt, resident, relay, now } = await stage();
  const eva = await resident("eva");
  const hers = await elsewhere("You are Eva.", now(), eva.key);
  relay.shelf.find = () => [...relay.shelf.events.values()] as never;
  expect(await prompt("ada")).toBe("You live in a house.");
  expect(await prompt("eva")).toContain("You are Eva.");
  await elsewhere("You are Ada.");
  expect(await prompt("ada")).toContain("You are Ada.");
  expect((await relay.held()).length).toBe(2);
  expect(hers.pubkey).toBe(eva.key.agent);
});

test("two agents with one key have one memory: what one writes is the other's next turn", async () => {
  const { store, set, prompt, settings, history } = await stage();
  await store.agents.add({ name: "twin", charter: "resident", settings: settings("ada") });
  await set("You are Ada.");
  expect(await prompt("twin")).toContain("You are Ada.");
  await set("You are Ada, and there are two of you.", { agent: "twin" });
  expect(await prompt("ada")).toContain("and there are two of you.");
  expect((await history("ada")).map(([, , text]) => text)).toEqual((await history("twin")).map(([, , text]) => text));
});

test("with another key the old one's words are not shown, nor lost: with the first key they are there again", async () => {
  const { store, set, prompt, settings, resident, relay, history, elsewhere, now } = await stage();
  const eva = await resident("eva");
  await set("You are Ada.");
  const use = (key: string) => store.agents.put({ name: "ada", charter: "resident", settings: settings(key) });
  await use("eva");
  expect(await prompt()).toBe("You live in a house.");
  await elsewhere("You are Eva.", now(), eva.key);
  expect(await prompt()).toBe("You live in a house.\n\nYou are Eva.");
  await set("You are Eva, and like ships.");
  await use("ada");
  expect(await prompt()).toBe("You live in a house.\n\nYou are Ada.");
  await use("eva");
  expect(await prompt()).toBe("You live in a house.\n\nYou are Eva, and like ships.");
  expect((await relay.held()).length).toBe(2);
  expect((await history()).map(([, , text]) => text)).toEqual([
    "You are Eva, and like ships.",
    "You are Ada.",
    "You are Eva, and like ships.",
    "You are Eva.",
    "You are Ada.",
  ]);
});

test("another key, and a typo in the owner, are no birth: the words are kept, and both ways are named", async () => {
  const { store, host, set, prompt, settings, resident, history } = await stage();
  const { owner } = await resident("eva");
  await set("You are Ada.");
  const { memory } = settings() as { readonly memory: object };
  for (const place of [settings("eva"), settings("ada", { memory: { ...memory, owner } })]) {
    await store.agents.put({ name: "ada", charter: "resident", settings: place });
    const { prompt: alone } = await host.preview({ agent: "ada" });
    expect([alone.text, alone.notices.map(({ code }) => code)]).toEqual([
      "You live in a house.",
      ["core-memory-elsewhere", "source-unavailable"],
    ]);
    expect((await set("You are somebody else.")).verdict).toBe("refused");
  }
  await store.agents.put({ name: "ada", charter: "resident", settings: settings() });
  expect(await prompt()).toBe("You live in a house.\n\nYou are Ada.");
  expect(await history()).toEqual([[1, "operator", "You are Ada."]]);
});

test("to another key its words are taken along, once; the first one's stay where they are", async () => {
  const { store, host, set, prompt, settings, resident, relay, key, history } = await stage();
  const eva = await resident("eva");
  await set("You are Ada.");
  const memory = async () => (await host.coreMemory("ada")) as CoreMemory;
  expect(await (await memory()).move()).toBeUndefined();
  await store.agents.put({ name: "ada", charter: "resident", settings: settings("eva") });
  expect(await (await memory()).move()).toMatchObject({ state: "published", taken: [relay.url], missed: [] });
  expect(await (await memory()).move()).toBeUndefined();
  expect(await prompt()).toBe("You live in a house.\n\nYou are Ada.");
  expect(await history()).toEqual([[1, "operator", "You are Ada."]]);
  expect((await relay.held()).map(({ pubkey }) => pubkey).sort()).toEqual([key.agent, eva.key.agent].sort());
});

test("a frozen agent with another key is shown neither the old words nor a newcomer's", async () => {
  const { store, set, prompt, settings, resident, elsewhere, now } = await stage();
  const eva = await resident("eva");
  await set("You are Ada.");
  await store.agents.put({ name: "ada", charter: "resident", settings: settings("eva") });
  await store.agents.freeze("ada", "amendments");
  expect(await prompt()).toBe("You live in a house.");
  await elsewhere("You are Eva.", now(), eva.key);
  expect(await prompt()).toBe("You live in a house.");
});

test("what waits with one key is not sent, shown or forgotten while another is set up", async () => {
  const { store, host, set, prompt, settings, resident, relay, history, time } = await stage();
  await resident("eva");
  const take = relay.shelf.upsert.bind(relay.shelf);
  relay.shelf.upsert = () => {
    throw new Error("The disk is full.");
  };
  expect((await set("You are Ada.")).publication?.state).toBe("waiting");
  relay.shelf.upsert = take;
  const use = (key: string) => store.agents.put({ name: "ada", charter: "resident", settings: settings(key) });
  await use("eva");
  expect(await prompt()).toBe("You live in a house.");
  await (await host.coreMemory("ada"))?.noteBirth();
  expect(await prompt()).toContain("You are new here.");
  await set("You are Eva.");
  await use("ada");
  expect(await prompt()).toBe("You live in a house.\n\nYou are Ada.");
  time.now = new Date(time.now.getTime() + 10_000);
  expect(await prompt()).toBe("You live in a house.\n\nYou are Ada.");
  const [waited] = (await store.publications.list({ agent: "ada" })).filter(({ revision }) => revision === 1);
  expect(waited?.state).toBe("published");
  expect((await relay.held()).map(({ id }) => id)).toContain(waited?.id);
  expect((await history()).length).toBe(4);
});
