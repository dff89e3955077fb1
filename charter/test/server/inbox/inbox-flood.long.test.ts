import { expect, test } from "vitest";
import { inboxLimits } from "../../../src/store/index.ts";
import { newServed } from "../served.ts";
import { flood } from "./flood.ts";
import { signedBody, walletOf } from "./wallet.ts";

// Most of the time goes into making the signatures; what differs between the homes shows in fewer, too.
const floods = [
  ["sqlite", 10_000],
  ["postgres", 2_000],
] as const;

test.each(floods)(
  "on %s, %i new signers, each from its own address: a token and a known signer are answered meanwhile",
  async (home, signers) => {
    const { answers, others, turns } = await flood({ home, signers, addresses: "many" });
    const { "201 posted": posted = 0, "429 inbox-full": full = 0, ...rest } = answers;
    expect([posted + full, rest]).toEqual([signers, {}]);
    expect(others).toBeGreaterThan(10);
    expect(turns).toBeLessThanOrEqual(6);
  },
  1_800_000,
);

test("new signers fill half of an inbox; everyone else still writes", async () => {
  const service = "https://charter.example.org";
  const served = await newServed({ signedFor: service });
  const { store, as, token } = served;
  await store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
  const known = walletOf(0);
  await store.conversations.record("sol", known.address, { message: "m", body: "Hi.", reply: "Hello.", turn: "t" });
  for (let at = 0; at < inboxLimits.agent / 2; at += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, more) =>
        store.inbox.post({
          agent: "sol",
          sender: `0x${(at + more).toString(16).padStart(40, "0")}`,
          body: "Hi.",
          lane: "signed-new",
        }),
      ),
    );
  const expires = Date.UTC(2026, 1, 18, 12) / 1000 + 300;
  const post = async (number: number) =>
    (await as(undefined)("POST /agents/sol/inbox", signedBody(walletOf(number), { service, agent: "sol", expires })))
      .status;
  const shop = as(await token({ kind: "inbox", agent: "sol", name: "shop" }));
  const statuses = [
    await post(1),
    await post(0),
    (await shop("POST /agents/sol/inbox", { sender: "bo", body: "Hi." })).status,
  ];
  await served.close();
  expect(statuses).toEqual([429, 201, 201]);
}, 300_000);
