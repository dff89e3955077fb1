import { automataOf } from "../../channels/automata.ts";
import { chainSettings } from "../../channels/chain/chain-config.ts";
import { etherText, weiOf } from "../../charters/ether.ts";
import { checkInbox } from "../../operations/inbox/messages.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { asOperator, printAnswer } from "../command/perform.ts";
import { createHere, type Here } from "../shared/trust/here.ts";

export async function run(parsed: ParsedCommand): Promise<number> {
  const { agent: name, ether } = parsed.input as { readonly agent: string; readonly ether?: string };
  const here = createHere();
  return asOperator({ database: parsed.database, here }, async ({ store, host }) => {
    const record = await store.agents.get(name);
    await checkInbox(await host(), record);
    return printAnswer(parsed, await priceIn(here, record.name, ether));
  });
}

/** Reads the price of a message to an agent on its blockchain; with an amount in ETH, sets it. */
export async function priceIn(here: Here, agent: string, ether?: string) {
  const newPrice = ether === undefined ? undefined : priceOf(ether);
  const automaton = automataOf((await here.settings("where its chain is")) ?? {}).find((one) => one.agent === agent);
  if (automaton?.chain === undefined)
    throw new Problem(
      "no-chain",
      `No settings here name a chain of “${agent}”.`,
      "Set automaton.chain in charter.config.ts, or run this where that is: docs/chain.md.",
    );
  const settings = chainSettings(agent, automaton.chain);
  const { messagePrice } = await import("../../channels/chain/message-price.ts");
  const query = { agent, settings, env: await here.environment(), clock: () => new Date(), price: newPrice };
  const { price, tx, block } = await messagePrice(query);
  return { agent, price: etherText(price), ...(tx === undefined ? {} : { tx, block }) };
}

function priceOf(amount: string): bigint {
  const wei = weiOf(amount);
  if (wei !== undefined) return wei;
  throw new Problem(
    "bad-price",
    `“${amount}” is no price.`,
    "Give ETH, to 18 places at most, as in 0.001; 0 is nothing.",
  );
}
