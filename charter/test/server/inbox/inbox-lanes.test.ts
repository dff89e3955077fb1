import { expect, test } from "vitest";
import { sql } from "../../../src/store/home/sql.ts";
import type { Store } from "../../../src/store/index.ts";
import { newServed } from "../served.ts";
import { signedBody, walletOf } from "./wallet.ts";

const service = "https://charter.example.org";
const expires = Date.UTC(2026, 1, 18, 12) / 1000 + 300;

/** So many messages wait in a lane, a hundred of each sender. */
async function fill(store: Store, lane: string, count: number): Promise<void> {
  const at = "2026-02-18T12:00:00.000Z";
  await store.home.write("everything", (db) =>
    db.run(sql`insert into inbox (id, agent, user_id, sender, body, at, status, tries, lane, round)
      with recursive n (n) as (select 1 union all select n + 1 from n where n < ${count})
      select ${lane} || '-' || n, 'sol', 'counterpart:' || ${lane} || '-' || (n / 100), 'x', 'Hi.', ${at}, 'waiting', 0,
        ${lane}, n from n`),
  );
}

test("what signers or a token fill leaves room for every other door: known signers and new ones are one", async () => {
  const served = await newServed({ signedFor: service });
  const { store, as, token, operator } = served;
  await store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
  const known = walletOf(0);
  await store.conversations.record("sol", known.address, { message: "m", body: "Hi.", reply: "Hello.", turn: "t" });
  const path = "POST /agents/sol/inbox";
  const signed = async (number: number) =>
    (await as(undefined)(path, signedBody(walletOf(number), { service, agent: "sol", expires }))).status;
  const shop = as(await token({ kind: "inbox", agent: "sol", name: "shop" }));
  const mall = as(await token({ kind: "inbox", agent: "sol", name: "mall" }));
  const post = async (ask: typeof shop) => (await ask(path, { sender: "bo", body: "Hi." })).status;
  const statuses = async () => ({
    signers: [await signed(0), await signed(1)],
    ...{ shop: await post(shop), mall: await post(mall), operator: await post(operator) },
  });
  await fill(store, "signed-new", 2_500);
  expect(await statuses()).toEqual({ signers: [201, 429], shop: 201, mall: 201, operator: 201 });
  await fill(store, "signed", 2_500);
  expect(await statuses()).toEqual({ signers: [429, 429], shop: 201, mall: 201, operator: 201 });
  await fill(store, "token:shop", 2_600);
  expect(await statuses()).toEqual({ signers: [429, 429], shop: 429, mall: 201, operator: 201 });
  await fill(store, "operator", 2_390);
  expect(await statuses()).toEqual({ signers: [429, 429], shop: 429, mall: 429, operator: 201 });
  expect(await post(operator)).toBe(429);
  await served.close();
});
