import { isAddress } from "../charters/ether.ts";
import { loadPackage } from "../packages/load-package.ts";
import { checkFields, checkNeeded, isBoolean, isText } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";

/** A message to an agent that its sender signs, in place of a token. */
export type SignedMessage = {
  /** Public address of the service, with its path, without a slash at the end: https://charter.example.org */
  readonly service: string;
  readonly agent: string;
  /** Address whose key signs. */
  readonly sender: string;
  readonly id: string;
  readonly body: string;
  /** Expiry of the signature, in seconds since 1970: at most ten minutes ahead. */
  readonly expires: number;
  /** Chain the wallet is on: 8453 (Base), unless the operator says otherwise. */
  readonly chain?: number;
};

const usualChain = 8453;

const minutesAhead = 10;

/** Typed data a wallet signs to send a message, as `eth_signTypedData_v4` and every library take it. */
export function inboxTypedData(message: SignedMessage): TypedData {
  const aText = [isText, "Give { service, agent, sender, id, body, expires }."] as const;
  const texts = { service: aText, agent: aText, sender: aText, id: aText, body: aText };
  checkNeeded<SignedMessage>("inboxTypedData", message, texts);
  const { service, agent, sender, id, body, expires, chain = usualChain } = message;
  return {
    domain: { name: "Charter inbox", version: "1", chainId: chain },
    types: {
      EIP712Domain: [
        { name: "name", type: "string" },
        { name: "version", type: "string" },
        { name: "chainId", type: "uint256" },
      ],
      Message: [
        { name: "service", type: "string" },
        { name: "agent", type: "string" },
        { name: "sender", type: "address" },
        { name: "id", type: "string" },
        { name: "body", type: "string" },
        { name: "expires", type: "uint256" },
      ],
    },
    primaryType: "Message",
    message: { service, agent, sender, id, body, expires },
  };
}

/** Checks that a message can be signed and has not expired. Half a character would be signed as another one. */
function checkSignedMessage({ agent, sender, id, body, expires }: SignedMessage, now: number): void {
  if (!isAddress(sender))
    throw badSignature(`The sender ${JSON.stringify(sender)} is no address.`, "Give 0x and 40 hex digits.");
  for (const text of [agent, id, body])
    if (!text.isWellFormed())
      throw badSignature("The message holds half a character.", "Fix the text where it comes from, and sign again.");
  const seconds = expires - now / 1000;
  if (seconds <= 0) throw badExpiry(`The signature expired at ${timeOf(expires)}.`);
  if (seconds > minutesAhead * 60)
    throw badExpiry(`The signature would hold until ${timeOf(expires)}, longer than ${minutesAhead} minutes.`);
}

function badSignature(message: string, hint: string): Problem {
  return new Problem("bad-signature", message, hint);
}

function badExpiry(message: string): Problem {
  return new Problem("bad-expiry", message, `Sign again, with an expiry at most ${minutesAhead} minutes from now.`);
}

function timeOf(seconds: number): string {
  const at = new Date(seconds * 1000);
  return Number.isNaN(at.getTime()) ? `second ${seconds}` : at.toISOString();
}

/** Elliptic curve of Ethereum's keys, which recovers the public key (uncompressed) that signed a hash of 32 bytes. */
export type Curve = {
  readonly keccak: Keccak;
  /** Returns that key; throws if the signature is invalid. */
  readonly recover: (signature: RecoverableSignature, hash: Uint8Array) => Uint8Array;
};

type RecoverableSignature = { readonly r: bigint; readonly s: bigint; readonly recovery: 0 | 1 };

/** Number of points on the curve. */
const order = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;

/**
 * Returns the address that signed the message, in lower case; throws, with the reason, unless it is the sender's and valid now.
 * Every field is part of what was signed, so any change to one gives another signer.
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

/** Reads the 65 bytes r, s and v. Anyone can turn a signature into a second valid one; only that with the low s is accepted. */
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

/** Field of an EIP-712 type; their order counts. */
type TypedField = { readonly name: string; readonly type: string };

/** Typed data of EIP-712: a struct, its types, and the domain it is meant for. */
export type TypedData = {
  readonly domain: Readonly<Record<string, unknown>>;
  readonly types: Readonly<Record<string, readonly TypedField[]>>;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, unknown>>;
};

/** Keccak-256, which is not the SHA-3 of the standard. */
type Keccak = (bytes: Uint8Array) => Uint8Array;

/** Hash of typed data, 32 bytes, which the signature covers. Fields may be strings, addresses, uint256 and other structs. */
export function hashTypedData({ domain, types, primaryType, message }: TypedData, keccak: Keccak): Uint8Array {
  const hashed = { types, keccak };
  const start = Uint8Array.of(0x19, 0x01);
  return keccak(joined([start, hashStruct("EIP712Domain", domain, hashed), hashStruct(primaryType, message, hashed)]));
}

type Hashing = { readonly types: TypedData["types"]; readonly keccak: Keccak };

function hashStruct(type: string, values: Readonly<Record<string, unknown>>, hashing: Hashing): Uint8Array {
  const fields = fieldsOf(type, hashing.types);
  const head = hashing.keccak(utf8(encodeType(type, hashing.types)));
  return hashing.keccak(joined([head, ...fields.map((field) => encodeField(field, values[field.name], hashing))]));
}

function encodeField({ name, type }: TypedField, value: unknown, hashing: Hashing): Uint8Array {
  if (type === "string" && typeof value === "string") return hashing.keccak(utf8(value));
  if (type === "address" && typeof value === "string" && isAddress(value)) return word(BigInt(value));
  if (type === "uint256" && (typeof value === "bigint" || Number.isSafeInteger(value)) && (value as number) >= 0)
    return word(BigInt(value as number));
  if (Object.hasOwn(hashing.types, type) && typeof value === "object" && value !== null)
    return hashStruct(type, value as Readonly<Record<string, unknown>>, hashing);
  throw new TypeError(`The field “${name}” is no ${type}.`);
}

/**
 * Encodes a type as EIP-712 does: `Mail(Person from,Person to,string contents)Person(string name,address wallet)`, with the types
 * it uses sorted by name.
 */
function encodeType(type: string, types: TypedData["types"]): string {
  const others = [...usedBy(type, types)].filter((one) => one !== type).sort();
  const written = (name: string) =>
    `${name}(${fieldsOf(name, types)
      .map((field) => `${field.type} ${field.name}`)
      .join(",")})`;
  return [type, ...others].map(written).join("");
}

function usedBy(type: string, types: TypedData["types"], found: Set<string> = new Set()): Set<string> {
  if (found.has(type) || !Object.hasOwn(types, type)) return found;
  found.add(type);
  for (const field of fieldsOf(type, types)) usedBy(field.type, types, found);
  return found;
}

function fieldsOf(type: string, types: TypedData["types"]): readonly TypedField[] {
  return (Object.hasOwn(types, type) && types[type]) || [];
}

/** Encodes a number in 32 bytes. */
function word(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, at) => Number((value >> BigInt(8 * (31 - at))) & 0xffn));
}

const encoder = new TextEncoder();
const utf8 = (text: string) => encoder.encode(text);

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const purpose = { purpose: "Checking signed messages" };

/** Loads the curve and the hash of Ethereum. */
export async function loadCurve(): Promise<Curve> {
  const [{ secp256k1 }, { keccak_256 }] = await Promise.all([
    loadPackage("@noble/curves/secp256k1.js", purpose),
    loadPackage("@noble/hashes/sha3.js", purpose),
  ]);
  return {
    keccak: keccak_256,
    recover: ({ r, s, recovery }, hash) =>
      new secp256k1.Signature(r, s, recovery).recoverPublicKey(hash).toBytes(false),
  };
}

/** Setting `inbox` of a `charter.config.ts`: ways to post messages without a token. */
export type InboxConfig = {
  /** Lets anyone post a message that is signed with the key of their address (EIP-712). */
  readonly signed?: boolean;
  /** Chain that signatures name; by default 8453 (Base). */
  readonly chain?: number;
};

/** Service address and chain that signed messages have to name. */
export type SignedInbox = { readonly service: () => string; readonly chain: number };

/** Checks the setting, and names what is wrong with it. */
export function checkInbox(inbox: unknown, place: string): void {
  checkFields<InboxConfig>(inbox, {
    ...{ name: "inbox", place, hint: "As in inbox: { signed: true, chain: 8453 }: docs/http.md#signed-messages." },
    fields: {
      signed: [isBoolean, "is neither true nor false"],
      chain: [(value) => Number.isSafeInteger(value) && (value as number) > 0, "is no number of a chain"],
    },
  });
}

/** Settings of signed messages; undefined if they are not accepted. */
export function signedInbox(about: {
  readonly inbox: InboxConfig | undefined;
  /** Public address of the server, if configured. */
  readonly url: string | undefined;
  /** Shows that only this machine reaches it. */
  readonly isAlone: boolean;
  /** Returns the address the server listens at, once it does. */
  readonly listensAt: () => string;
}): SignedInbox | undefined {
  const { inbox = {}, url, isAlone, listensAt } = about;
  const { signed = false, chain = usualChain } = inbox;
  if (!signed) return undefined;
  // Servers that listen on all addresses have the same default name, so a message signed for one would be valid at each.
  if (url === undefined && !isAlone)
    throw new Problem(
      "bad-config",
      "Messages may be signed, but the server's public address is not set: signatures name it.",
      "Set CHARTER_URL (or url, or --url) to the address others reach this server by.",
    );
  return { service: () => serviceOf(url ?? listensAt()), chain };
}

/** Address as signatures name it: with its path, without a slash at the end. */
function serviceOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}
