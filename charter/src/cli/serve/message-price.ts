import { etherText, weiOf } from "../../charters/ether.ts";
import { Problem } from "../../prompt/problem.ts";
import { automataOf } from "../../server/automata.ts";
import { chainSettings } from "../../server/chain-config.ts";
import { environmentHere, settingsHere } from "../shared/trust/directory-settings.ts";

/** What a message to an agent costs on the chain that the settings here name; with an amount of ETH, it is set to that. */
export async function priceHere(
  agent: string,
  amount: string | undefined,
): Promise<{ readonly told: string; readonly json: object }> {
  const wanted = amount === undefined ? undefined : priceOf(amount);
  const named = automataOf((await settingsHere("where its chain is")) ?? {}).find((one) => one.agent === agent);
  if (named?.chain === undefined)
    throw new Problem(
      "no-chain",
      `No settings here name a chain of “${agent}”.`,
      "Set automaton.chain in charter.config.ts, or run this where that is: docs/chain.md.",
    );
  const settings = chainSettings(agent, named.chain);
  const { messagePrice } = await import("../../channels/chain/message-price.ts");
  const asked = { agent, settings, env: await environmentHere(), clock: () => new Date(), price: wanted };
  const { price, tx, block } = await messagePrice(asked);
  const ether = etherText(price);
  const costs = price === 0n ? "nothing" : `${ether} ETH at least`;
  const since = tx === undefined ? "" : `, from block ${block} on: ${tx}`;
  return {
    told: `A message to “${agent}” costs ${costs}${since}${tx === undefined ? "." : ""}`,
    json: { agent, price: ether, ...(tx === undefined ? {} : { tx, block }) },
  };
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
