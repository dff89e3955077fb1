import { badSignature, checkSignedMessage, inboxTypedData, type SignedMessage, usualChain } from "./signed-message.ts";
import { hashTypedData, type Keccak } from "./typed-data.ts";

/** The curve of Ethereum's keys: whose signature of these 32 bytes it is, as an uncompressed public key. */
export type Curve = {
  readonly keccak: Keccak;
  /** Throws where it is nobody's. */
  readonly recover: (signature: RecoverableSignature, hash: Uint8Array) => Uint8Array;
};

type RecoverableSignature = { readonly r: bigint; readonly s: bigint; readonly recovery: 0 | 1 };

/** How many points the curve has. */
const order = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;

/**
 * Gives the address that signed the message, lower-cased; throws, with the reason, unless it is the sender's and holds
 * now. Nothing else says what a signature was meant for: whatever is not as it was signed gives another signer.
 */
export function checkSignature(
  message: SignedMessage,
  signature: string,
  { curve, now }: { readonly curve: Curve; readonly now: number },
): string {
  checkSignedMessage(message, now);
  const read = readSignature(signature);
  const signer = recoverAddress(read, hashTypedData(inboxTypedData(message), curve.keccak), curve);
  if (signer === message.sender.toLowerCase()) return signer;
  const { service, agent, id, expires, chain = usualChain, sender } = message;
  throw badSignature(
    `The signature is not by ${sender}, or not for this message: service ${service}, agent “${agent}”, id “${id}”, expires ${expires}, chain ${chain}.`,
    "Sign exactly what is sent, with these values. A contract wallet cannot be checked here: use a key's own address.",
  );
}

function recoverAddress(signature: RecoverableSignature, hash: Uint8Array, { recover, keccak }: Curve): string {
  try {
    return `0x${Buffer.from(keccak(recover(signature, hash).slice(1)).slice(12)).toString("hex")}`;
  } catch {
    throw badSignature("The signature is invalid: its r is not a point of the curve.", signAgain);
  }
}

const signAgain = "Sign the message again with the wallet of the sender.";

/** The 65 bytes r, s and v. Of the two signatures everyone can make of one, only that with the low s is taken. */
function readSignature(signature: string): RecoverableSignature {
  const hex = /^0x((?:[0-9a-f]{2})*)$/i.exec(signature)?.[1];
  if (hex === undefined) throw badSignature("The signature is no hex.", "Give 0x and 130 hex digits.");
  const bytes = hex.length / 2;
  if (bytes === 64)
    throw badSignature("The signature has 64 bytes: the compact form is not taken.", "Give all 65 bytes: r, s and v.");
  if (bytes > 65)
    throw badSignature(
      `The signature has ${bytes} bytes. Those of contract wallets (ERC-1271, ERC-6492) cannot be checked here.`,
      "Sign with a key's own address (65 bytes), or ask the operator for an inbox token.",
    );
  if (bytes !== 65) throw badSignature(`The signature has ${bytes} bytes.`, "Give 65 bytes: r, s and v.");
  const [r, s, v] = [BigInt(`0x${hex.slice(0, 64)}`), BigInt(`0x${hex.slice(64, 128)}`), Number(`0x${hex.slice(128)}`)];
  if (v !== 27 && v !== 28) throw badSignature(`The signature's last byte, v, is ${v}.`, "It has to be 27 or 28.");
  if (r === 0n || r >= order) throw badSignature("The signature's r is out of range.", signAgain);
  if (s === 0n || s >= order) throw badSignature("The signature's s is out of range.", signAgain);
  if (s > order / 2n)
    throw badSignature("The signature's s is high: anyone can make it from another one.", "Send it as it was signed.");
  return { r, s, recovery: v === 27 ? 0 : 1 };
}
