import { mnemonicToAccount } from "viem/accounts";
import type { Hex } from "./local-chain.ts";

/** Words that everybody knows: the accounts they make have money on this chain only. */
export const mnemonic = "test test test test test test test test test test test junk";
export const accountCount = 30;

/** The private key of an account, by its number. The agent's is that of account 0. */
export function keyOf(index: number): Hex {
  const { privateKey } = mnemonicToAccount(mnemonic, { addressIndex: index }).getHdKey();
  return `0x${Buffer.from(privateKey as Uint8Array).toString("hex")}`;
}
