import { isAddress } from "../../charters/ether.ts";

/** A type of EIP-712: its fields, in their order. */
type TypedField = { readonly name: string; readonly type: string };

/** What a wallet signs by EIP-712: a struct, its types, and the domain it is meant for. */
export type TypedData = {
  readonly domain: Readonly<Record<string, unknown>>;
  readonly types: Readonly<Record<string, readonly TypedField[]>>;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, unknown>>;
};

/** Keccak-256, which is not the SHA-3 of the standard. */
export type Keccak = (bytes: Uint8Array) => Uint8Array;

/** The 32 bytes that a signature of typed data is over. Fields may be strings, addresses, uint256 and other structs. */
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

/** `Mail(Person from,Person to,string contents)Person(string name,address wallet)`: others it uses follow by name. */
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

/** A number in 32 bytes. */
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
