import type { ChainBalance } from "../../store/chain/chain.ts";
import type { ChainSettings } from "./chain-settings.ts";
import { type AskNode, NonsenseAnswer, readHead, readHex, readQuantity, refusalOf } from "./node-answer.ts";
import type { ReplyCodec } from "./replies/reply-codec.ts";

type ReadBalance = Omit<ChainBalance, "readAt">;
type Hex = `0x${string}`;

/** What an agent's address has of ETH. */
export async function readEther(ask: AskNode, { address }: Pick<ChainSettings, "address">): Promise<ReadBalance> {
  const [{ number: block }, answer] = await Promise.all([readHead(ask), ask("eth_getBalance", [address, "latest"])]);
  return { asset: "ETH", amount: String(readQuantity("the balance", answer)), decimals: 18, symbol: "ETH", block };
}

/** What it has of a token. Not every token says how many places it has and what it is called. */
export async function readToken(
  ask: AskNode,
  codec: ReplyCodec,
  { address, token }: { readonly address: Hex; readonly token: Hex },
): Promise<ReadBalance> {
  const call = async <Read>(what: "balanceOf" | "decimals" | "symbol", read: (answer: Hex) => Read): Promise<Read> => {
    const answer = await ask("eth_call", [{ to: token, data: codec.tokenData(what, address) }, "latest"]);
    const hex = readHex(`the token's ${what}`, answer);
    try {
      return read(hex);
    } catch {
      throw new NonsenseAnswer(`the token's ${what}`);
    }
  };
  const instead =
    <Usual>(usual: Usual) =>
    (error: unknown): Usual => {
      if (error instanceof NonsenseAnswer || refusalOf(error) !== undefined) return usual;
      throw error;
    };
  const [{ number: block }, amount, decimals, symbol] = await Promise.all([
    readHead(ask),
    call("balanceOf", codec.readNumber),
    call("decimals", codec.readNumber).catch(instead(0n)),
    call("symbol", codec.readText).catch(instead("")),
  ]);
  return {
    asset: token,
    amount: String(amount),
    decimals: decimals > mostDecimals ? mostDecimals : Number(decimals),
    symbol: symbolText(symbol),
    block,
  };
}

/** A contract says it in one byte. */
const mostDecimals = 255;

/** A token names itself: what is not a short plain name is not repeated. */
function symbolText(symbol: string): string {
  const plain = symbol.replace(/\0+$/, "");
  return /^[A-Za-z0-9.$_-]{1,16}$/.test(plain) ? plain : "token";
}
