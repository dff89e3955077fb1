import { expect, test } from "vitest";
import { deskOf, rewrite } from "../desk.ts";
import { onEveryHome } from "./given.ts";

onEveryHome("everyone an agent has to do with", (given) => {
  const talk = async (agent: string, user: string | undefined) => {
    const scope = { agent, ...(user === undefined ? {} : { user }) };
    const { id } = await given.store.sessions.open({ scope, receiver: "test/one", channel: "web" });
    await given.store.turns.open({ scope, input: "Hi.", session: id });
  };
  const wish = (agent: string, user: string, content: string) =>
    given.store.propose(deskOf({ scope: { agent, user } }), rewrite(content, { section: "wishes", actor: "user" }));

  test("is whoever took turns, has words, notes, chats or schedules there, once and by id; nobody else", async () => {
    const { store, clock } = given;
    const [agent, other] = [await given.agent(), await given.agent()];
    expect(await store.users.ofAgent(agent)).toEqual([]);
    await store.users.put({ id: "set up, and never seen" });
    await talk(agent, undefined);
    await talk(agent, "turns");
    await talk(agent, "turns");
    await talk(other, "another agent's");
    await wish(agent, "words", "Be brief.");
    await store.memory.save({ agent, user: "notes" }, { text: "Likes figs." });
    await store.memory.save({ agent }, { text: "The agent's own." });
    const { code } = await store.links.createCode({ agent, user: "chats" }, "telegram");
    await store.links.redeem(agent, "telegram", code, "chat-1");
    const later = new Date(clock.now().getTime() + 60_000).toISOString();
    await store.schedules.add({ scope: { agent, user: "schedules" }, title: "Digest", input: "Go.", nextAt: later });
    await wish(agent, "turns", "Be kind.");
    for (const user of ["Ünal", "a/b", "🦊", "Zoe"]) await talk(agent, user);
    const all = ["Zoe", "a/b", "chats", "notes", "schedules", "turns", "words", "Ünal", "🦊"];
    expect(await store.users.ofAgent(agent)).toEqual(all);
    expect(await store.users.ofAgent(agent, { limit: 3, offset: 2 })).toEqual(all.slice(2, 5));
    expect(await store.users.ofAgent(agent, { limit: 3, offset: 9 })).toEqual([]);
    expect(await store.users.ofAgent(other)).toEqual(["another agent's"]);
    expect(await store.users.ofAgent("nobody")).toEqual([]);
  });

  test("is not who was erased, until they come again; and is still who took all their words back", async () => {
    const { store } = given;
    const agent = await given.agent();
    await talk(agent, "bo");
    for (const user of ["bo", "cy"]) await wish(agent, user, `Words of ${user}.`);
    await wish(agent, "cy", "");
    expect(await store.users.ofAgent(agent)).toEqual(["bo", "cy"]);
    await store.erase({ user: "bo" });
    expect(await store.users.ofAgent(agent)).toEqual(["cy"]);
    await wish(agent, "bo", "Back again.");
    expect(await store.users.ofAgent(agent)).toEqual(["bo", "cy"]);
  });
});
