import type { ChainBalance } from "../../store/chain/chain-balance.ts";
import type { ChainSettings } from "./chain-settings.ts";
import { type AskNode, readHead, readHex, readQuantity } from "./node-answer.ts";
import type { ReplyCodec } from "./replies/reply-codec.ts";

/** What an agent's address has: ETH, and of the token that is named. */
export async function readBalances(
  ask: AskNode,
  codec: ReplyCodec,
  { address, token }: ChainSettings,
): Promise<Omit<ChainBalance, "readAt">[]> {
  const [{ number: block }, answer] = await Promise.all([readHead(ask), ask("eth_getBalance", [address, "latest"])]);
  const ether = {
    asset: "ETH",
    amount: String(readQuantity("the balance", answer)),
    decimals: 18,
    symbol: "ETH",
    block,
  };
  if (token === undefined) return [ether];
  const call = async (what: "balanceOf" | "decimals" | "symbol") =>
    readHex(
      `the token's ${what}`,
      await ask("eth_call", [{ to: token, data: codec.tokenData(what, address) }, "latest"]),
    );
  const [balance, decimals, symbol] = await Promise.all([call("balanceOf"), call("decimals"), call("symbol")]);
  return [
    ether,
    {
      asset: token,
      amount: String(codec.readNumber(balance)),
      decimals: Math.min(Number(codec.readNumber(decimals)), 255),
      symbol: symbolText(codec.readText(symbol)),
      block,
    },
  ];
}

/** A token names itself: what is not a short plain name is not repeated. */
function symbolText(symbol: string): string {
  const plain = symbol.replace(/\0+$/, "");
  return /^[A-Za-z0-9.$_-]{1,16}$/.test(plain) ? plain : "token";
}
