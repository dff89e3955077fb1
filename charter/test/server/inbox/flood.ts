import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { eventually } from "../../eventually.ts";
import type { PlaceName } from "../../homes.ts";
import { answerMessage } from "../../store/answer-message.ts";
import { newServed } from "../served.ts";
import { signedBody, walletOf } from "./wallet.ts";

const service = "https://charter.example.org";
const expires = Date.UTC(2026, 1, 18, 12) / 1000 + 300;

/** What became of a flood, and of those who wrote meanwhile. */
export type FloodResult = {
  /** How many of the flood's posts had which answer. */
  readonly answers: Readonly<Record<string, number>>;
  /** Messages of a token and of a signer the agent knows: posted and answered while the flood went on. */
  readonly others: number;
  /** How many turns the agent took at most between such a message and its answer. */
  readonly turns: number;
};

/**
 * So many new signers write to one agent, each from an address of its own or all from one, while a token and a signer
 * the agent knows write from there, too. One worker answers, as turns do: one counterpart after the other.
 */
export async function flood(about: {
  readonly home: PlaceName;
  readonly signers: number;
  readonly addresses: "one" | "many";
}): Promise<FloodResult> {
  const { home, signers, addresses } = about;
  const limits = { requestsPerMinute: 1e9, concurrentRequests: { inbox: 1e6, signer: 1e6 } };
  const served = await newServed({ home, signedFor: service, proxies: 1, limits });
  const { store, as, token } = served;
  await store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
  const known = walletOf(0);
  const exchange = { message: "m", body: "Hi.", reply: "Hello.", turn: "t" };
  await store.conversations.record("sol", known.address, exchange);
  const shop = as(await token({ kind: "inbox", agent: "sol", name: "shop" }));
  const nobody = as(undefined);
  const from = (number: number) => ({
    "x-forwarded-for": addresses === "one" ? "192.0.2.1" : `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
  });

  const answers: Record<string, number> = {};
  let going = true;
  let turns = 0;
  const worker = async () => {
    while (going) {
      const turn = `turn-${++turns}`;
      const held = await store.inbox.claim("sol", turn);
      for (const { id } of held) await answerMessage(store.inbox, { agent: "sol", message: id, reply: "Yes.", turn });
      await sleep(held.length === 0 ? 10 : 0);
    }
  };
  let next = 0;
  const writer = async () => {
    while (next < signers) {
      const number = ++next;
      const body = signedBody(walletOf(number), { service, agent: "sol", expires, id: `flood-${number}` });
      const { status, body: answer } = await nobody("POST /agents/sol/inbox", body, from(number));
      const what = `${status} ${answer.error?.code ?? "posted"}`;
      answers[what] = (answers[what] ?? 0) + 1;
    }
  };
  let others = 0;
  let most = 0;
  const other = async () => {
    while (next < signers) {
      const id = `other-${others++}`;
      const signed = signedBody(known, { service, agent: "sol", expires, id });
      const posted =
        others % 2 === 0
          ? await nobody("POST /agents/sol/inbox", signed, from(1))
          : await shop("POST /agents/sol/inbox", { sender: "bo", body: "Hello?", id }, from(1));
      expect([id, posted.status]).toEqual([id, 201]);
      const kept = `${others % 2 === 0 ? known.address.toLowerCase() : "shop"}/${id}`;
      const before = turns;
      await eventually(async () => (await store.inbox.get("sol", kept)).status === "answered");
      const { turn } = await store.inbox.get("sol", kept);
      most = Math.max(most, Number(turn?.replace("turn-", "")) - before);
    }
  };
  const working = worker();
  try {
    await Promise.all([...Array.from({ length: 8 }, writer), other()]);
  } finally {
    going = false;
    await working;
    await served.close();
  }
  return { answers, others, turns: most };
}
