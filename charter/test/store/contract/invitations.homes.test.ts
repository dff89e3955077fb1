import { expect, test } from "vitest";
import { createIdentities } from "../../../src/store/accounts/identities.ts";
import { raw } from "../../../src/store/home/sql.ts";
import { onEveryHome, problemOf } from "./given.ts";

const day = 86_400_000;

onEveryHome("invitations", (given) => {
  test("one works once, within its days, and is kept by a digest alone", async () => {
    const { invitations, tokens, users, home } = given.store;
    const agent = await given.agent();
    const { made, already } = await invitations.create([{ user: "bo", agent, zone: "Europe/Berlin" }], { days: 3 });
    const [{ secret, ...invitation } = { secret: "" }] = made;
    const expiresAt = new Date(given.clock.now().getTime() + 3 * day).toISOString();
    const facts = { id: expect.any(String), agent, user: "bo", createdAt: given.clock.text(), expiresAt };
    expect(invitation).toEqual({ ...facts, state: "open", usedAt: null, revokedAt: null });
    expect(already).toEqual([]);
    expect(await users.find("bo")).toMatchObject({ id: "bo", zone: "Europe/Berlin" });
    expect(await users.ofAgent(agent)).toEqual(["bo"]);
    const rows = await home.read("everything", (db) => db.all(raw("select * from tokens")));
    expect(JSON.stringify(rows)).not.toContain(secret);

    // It opens nothing by itself: no door takes it for a token or a code.
    expect(await tokens.authenticate(secret)).toBeUndefined();
    expect(await tokens.redeem(secret, "user")).toBeUndefined();
    expect(await tokens.redeem(secret, "operator")).toBeUndefined();
    expect(await tokens.list()).toEqual([]);

    given.clock.move(3 * day - 1000);
    const signIn = await invitations.accept(secret);
    expect(signIn).toMatchObject({ kind: "sign-in", user: "bo", agent });
    expect(await tokens.redeem(signIn?.secret ?? "", "user")).toMatchObject({ session: { kind: "chat", user: "bo" } });
    expect([await invitations.accept(secret), await invitations.find(secret)]).toEqual([undefined, undefined]);
    expect(await invitations.list()).toMatchObject([{ state: "used", usedAt: given.clock.text(), revokedAt: null }]);
  });

  test("expired or revoked, it is nobody's; revoking needs one that is open", async () => {
    const { invitations } = given.store;
    const agent = await given.agent();
    const { made } = await invitations.create(["bo", "cy", "di"].map((user) => ({ user, agent })));
    const [bo, cy, di] = made.map(({ secret }) => secret) as [string, string, string];
    expect(await invitations.revoke({ user: "bo", agent })).toMatchObject([{ user: "bo", state: "revoked" }]);
    expect(await invitations.revoke({ id: made[1]?.id ?? "" })).toMatchObject([{ user: "cy", state: "revoked" }]);
    expect(await problemOf(invitations.revoke({ user: "bo" }))).toBe(
      "unknown-invitation: There is no open invitation “bo”. See what is open: charter users invitations.",
    );
    given.clock.move(7 * day);
    for (const secret of [bo, cy, di, "", "charter_guess"]) expect(await invitations.accept(secret)).toBeUndefined();
    expect((await invitations.list({ agent })).map(({ user, state }) => [user, state])).toEqual([
      ["bo", "revoked"],
      ["cy", "revoked"],
      ["di", "expired"],
    ]);
  });

  test("who was invited is left alone, unless again; then the open one ends", async () => {
    const { invitations } = given.store;
    const agent = await given.agent();
    const first = (await invitations.create([{ user: "bo", agent }])).made[0]?.secret ?? "";
    const twice = [
      { user: "bo", agent },
      { user: "cy", agent },
    ];
    const second = await invitations.create(twice);
    expect(second.made.map(({ user }) => user)).toEqual(["cy"]);
    expect(second.already).toMatchObject([{ user: "bo", state: "open" }]);
    const again = await invitations.create([{ user: "bo", agent }], { again: true });
    expect(await invitations.find(first)).toBeUndefined();
    expect(await invitations.find(again.made[0]?.secret ?? "")).toMatchObject({ user: "bo" });
    await invitations.accept(again.made[0]?.secret ?? "");
    expect((await invitations.create([{ user: "bo", agent }])).already).toMatchObject([{ state: "used" }]);
  });

  test("one that cannot be leaves nobody invited", async () => {
    const { invitations, users } = given.store;
    const agent = await given.agent();
    const bad = [
      { user: "counterpart:shop/bo", agent },
      { user: "bo", agent: "nobody" },
      { user: "bo", agent, zone: "Mars" },
    ];
    for (const one of bad)
      expect(await problemOf(invitations.create([{ user: "ann", agent }, one]))).toMatch(
        /^(?:bad-name|unknown-agent|bad-zone|unknown-zone): /,
      );
    for (const days of [0, 91, 1.5]) expect(await problemOf(invitations.create([], { days }))).toMatch(/^usage: /);
    expect([await invitations.list({ agent }), await users.find("ann")]).toEqual([[], undefined]);
  });
});

onEveryHome("identities", (given) => {
  const person = { issuer: "https://id.example.com", subject: "248289761001" };
  const invite = async (user: string, agent: string) =>
    (await given.store.invitations.create([{ user, agent }], { again: true })).made[0]?.id ?? "";

  test("an invitation binds a person to its user, once; another's does not move them", async () => {
    const { identities, invitations } = given.store;
    const [agent, other] = [await given.agent(), await given.agent()];
    const id = await invite("bo", agent);
    const bound = { ...person, agent, user: "bo", at: given.clock.text() };
    expect(await identities.bind(id, person)).toEqual(bound);
    expect(await identities.bind(id, { ...person, subject: "2" })).toBeUndefined();
    expect(await identities.of(person)).toEqual([bound]);
    const others = [
      { ...person, issuer: "https://id.example.com/" },
      { ...person, subject: "248289761001 " },
    ];
    for (const one of others) expect(await identities.of(one)).toEqual([]);

    const cys = await invite("cy", agent);
    expect(await problemOf(identities.bind(cys, person))).toMatch(/^identity-taken: You are “bo” with “.*” already/);
    expect(await invitations.list({ user: "cy" })).toMatchObject([{ state: "open" }]);
    const again = await invite("bo", agent);
    expect(await problemOf(identities.bind(again, { ...person, subject: "2" }))).toMatch(
      /^identity-taken: Somebody else signs in as “bo” with “.*” already/,
    );
    await identities.bind(await invite("bo", other), person);
    expect((await identities.of(person)).map(({ agent: one }) => one).sort()).toEqual([agent, other].sort());

    expect(await identities.remove({ user: "bo", agent })).toEqual([bound]);
    expect(await problemOf(identities.remove({ user: "bo", agent }))).toMatch(/^unknown-identity: /);
    expect(await identities.bind(cys, person)).toMatchObject({ user: "cy" });
    await given.store.erase({ user: "cy" });
    expect((await identities.list()).map(({ user }) => user)).toEqual(["bo"]);
  });

  test("a sign-in that was begun is taken once, within ten minutes, and is no token", async () => {
    const { identities, tokens } = given.store;
    const begun = await identities.begin({ leadsTo: "studio" });
    expect(await tokens.authenticate(begun)).toBeUndefined();
    expect(await tokens.redeem(begun)).toBeUndefined();
    expect(await identities.take(begun)).toEqual({ leadsTo: "studio", agent: null, user: null });
    expect(await identities.take(begun)).toBeUndefined();
    const late = await identities.begin({ leadsTo: "studio" });
    given.clock.move(600_000);
    expect(await identities.take(late)).toBeUndefined();
  });

  test("where too many sign-ins are under way, the oldest gives way to the next", async () => {
    let made = 0;
    const parts = { home: given.store.home, now: given.clock.text, newId: () => `begun-${made++}` };
    const identities = createIdentities(parts, (bytes) => bytes.fill(made), 3);
    const begun: string[] = [];
    for (const leadsTo of ["a", "b", "c", "d", "e"]) {
      begun.push(await identities.begin({ leadsTo }));
      given.clock.move(1000);
    }
    const left = await Promise.all(begun.map((secret) => identities.take(secret)));
    expect(left.map((one) => one?.leadsTo)).toEqual([undefined, undefined, "c", "d", "e"]);
  });
});

onEveryHome("the list of users", (given) => {
  test("has whoever was set up, invited or linked, or took a turn, by the first there was of them; no counterpart", async () => {
    const { store, clock } = given;
    const agent = await given.agent();
    const at: string[] = [];
    const next = () => at.push(clock.text()) && clock.move(1000);
    await store.users.put({ id: "a set up", zone: "Asia/Kolkata" });
    next();
    await store.invitations.create([{ user: "b invited", agent }]);
    next();
    const { code } = await store.links.createCode({ agent, user: "c linked" }, "telegram");
    await store.links.redeem(agent, "telegram", code, "chat-1");
    next();
    for (const user of ["d turns", "counterpart:shop/bo", undefined, "d turns"]) {
      const scope = { agent, ...(user === undefined ? {} : { user }) };
      await store.sessions.open({ scope, receiver: "test/one", channel: "web" });
    }
    next();
    const zones = ["Asia/Kolkata", null, null, null];
    const all = ["a set up", "b invited", "c linked", "d turns"].map((id, place) => {
      return { id, zone: zones[place], createdAt: at[place] };
    });
    expect(await store.users.list()).toEqual(all);
    expect([await store.users.count(), await store.users.count({ prefix: "d" })]).toEqual([4, 1]);
    expect(await store.users.list({ prefix: "c" })).toEqual([all[2]]);
    expect([await store.users.find("d turns"), await store.users.find("nobody")]).toEqual([all[3], undefined]);
    await store.users.put({ id: "d turns", zone: "Europe/Berlin" });
    expect(await store.users.find("d turns")).toEqual({
      id: "d turns",
      zone: "Europe/Berlin",
      createdAt: clock.text(),
    });
    await store.erase({ user: "d turns" });
    expect(await store.users.find("d turns")).toBeUndefined();
  });
});
