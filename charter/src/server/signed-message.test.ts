import fc from "fast-check";
import { addr, signTyped } from "micro-eth-signer";
import { expect, test } from "vitest";
import { Problem } from "../prompt/problem.ts";
import { checkSignature, hashTypedData, inboxTypedData, loadCurve, type SignedMessage } from "./signed-message.ts";

const curve = await loadCurve();
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;
const cow = hex(curve.keccak(new TextEncoder().encode("cow")));
const wallet = "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826";
const at = Date.UTC(2026, 1, 18, 12);

/** The specification's own example: https://eips.ethereum.org/EIPS/eip-712 */
const etherMail = {
  domain: {
    name: "Ether Mail",
    version: "1",
    chainId: 1,
    verifyingContract: "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
  },
  types: {
    EIP712Domain: [
      { name: "name", type: "string" },
      { name: "version", type: "string" },
      { name: "chainId", type: "uint256" },
      { name: "verifyingContract", type: "address" },
    ],
    Person: [
      { name: "name", type: "string" },
      { name: "wallet", type: "address" },
    ],
    Mail: [
      { name: "from", type: "Person" },
      { name: "to", type: "Person" },
      { name: "contents", type: "string" },
    ],
  },
  primaryType: "Mail",
  message: {
    from: { name: "Cow", wallet },
    to: { name: "Bob", wallet: "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB" },
    contents: "Hello, Bob!",
  },
};

test("the specification's example has the specification's hash, and its signature is the cow's", () => {
  const hash = hashTypedData(etherMail, curve.keccak);
  expect(hex(hash)).toBe("0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2");
  const r = 0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9dn;
  const s = 0x07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b91562n;
  const key = curve.recover({ r, s, recovery: 1 }, hash);
  expect(addr.fromPublicKey(key)).toBe(wallet);
});

test("a field that is not what its type says is not hashed as something else", () => {
  const wrong = (message: object) => () =>
    hashTypedData({ ...etherMail, message: { ...etherMail.message, ...message } }, curve.keccak);
  expect(wrong({ contents: 7 })).toThrow("The field “contents” is no string.");
  expect(wrong({ to: null })).toThrow("The field “to” is no Person.");
  expect(wrong({ to: { name: "Bob", wallet: "0xb" } })).toThrow("The field “wallet” is no address.");
  expect(() => hashTypedData({ ...etherMail, domain: { chainId: -1 } }, curve.keccak)).toThrow(TypeError);
});

const message: SignedMessage = {
  service: "https://charter.example.org",
  agent: "ada",
  sender: wallet,
  id: "0001",
  body: "Is the shop open?",
  expires: at / 1000 + 300,
};

/** As a wallet does: by a library that knows nothing of us. */
const signed = (one: SignedMessage, key = cow) => signTyped(inboxTypedData(one) as never, key);
const check = (one: SignedMessage, signature: string, now = at) => checkSignature(one, signature, { curve, now });
const reason = (one: SignedMessage, signature: string, now = at): string => {
  try {
    return `taken from ${check(one, signature, now)}`;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return `${error.code}: ${error.message}`;
  }
};

test("what a wallet signs is what its address said; upper and lower case are one address", () => {
  expect(check(message, signed(message))).toBe(wallet.toLowerCase());
  expect(check({ ...message, sender: wallet.toLowerCase() }, signed(message))).toBe(wallet.toLowerCase());
});

const others: [what: string, changed: Partial<SignedMessage>][] = [
  ["agent", { agent: "eve" }],
  ["service", { service: "https://charter.example.com" }],
  ["id", { id: "0002" }],
  ["body", { body: "Is the shop open? " }],
  ["chain", { chain: 1 }],
  ["sender", { sender: "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB" }],
  ["expiry", { expires: message.expires + 1 }],
];
for (const [what, changed] of others)
  test(`a signature for another ${what} is refused, and the reason says what it has to be for`, () => {
    const { service, agent, id, expires, chain = 8453, sender } = { ...message, ...changed };
    expect(reason({ ...message, ...changed }, signed(message))).toBe(
      `bad-signature: The signature is not by ${sender}, or not for this message: service ${service}, agent “${agent}”, id “${id}”, expires ${expires}, chain ${chain}.`,
    );
  });

test("a message signed by a library is taken, whatever its words, and with any of them changed refused", () => {
  const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
  const fields = fc.record({
    agent: text,
    id: text,
    body: text,
    service: fc.webUrl(),
    seconds: fc.integer({ min: 1, max: 600 }),
  });
  fc.assert(
    fc.property(
      fields,
      fc.constantFrom("agent", "id", "body", "service"),
      text,
      ({ seconds, ...words }, field, other) => {
        const one = { ...message, ...words, expires: at / 1000 + seconds };
        const signature = signed(one);
        expect(check(one, signature)).toBe(wallet.toLowerCase());
        const changed = { ...one, [field]: `${one[field]}${other}` };
        expect(() => check(changed, signature)).toThrow(Problem);
      },
    ),
    { numRuns: 12 },
  );
});

const sound = signed(message);
const r = sound.slice(2, 66);
const s = sound.slice(66, 130);
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const digits = (value: bigint) => value.toString(16).padStart(64, "0");
const otherV = sound.endsWith("1b") ? "1c" : "1b";

const unsound: [what: string, signature: string, because: string][] = [
  ["nothing", "", "The signature is no hex."],
  ["without 0x", sound.slice(2), "The signature is no hex."],
  ["half a byte", `${sound}0`, "The signature is no hex."],
  ["empty", "0x", "The signature has 0 bytes."],
  ["short", sound.slice(0, -2), "The signature has 64 bytes: the compact form is not taken."],
  [
    "of a contract wallet",
    `${sound}${"00".repeat(31)}`,
    "The signature has 96 bytes. Those of contract wallets (ERC-1271, ERC-6492) cannot be checked here.",
  ],
  ["v of 0", `0x${r}${s}00`, "The signature's last byte, v, is 0."],
  ["v of 29", `0x${r}${s}1d`, "The signature's last byte, v, is 29."],
  [
    "malleated",
    `0x${r}${digits(order - BigInt(`0x${s}`))}${otherV}`,
    "The signature's s is high: anyone can make it from another one.",
  ],
  ["r of 0", `0x${digits(0n)}${s}1b`, "The signature's r is out of range."],
  ["r too large", `0x${digits(order)}${s}1b`, "The signature's r is out of range."],
  ["s of 0", `0x${r}${digits(0n)}1b`, "The signature's s is out of range."],
  ["s too large", `0x${r}${digits(order)}1b`, "The signature's s is out of range."],
  ["an r that is no point", `0x${digits(5n)}${s}1b`, "The signature is invalid: its r is not a point of the curve."],
];
for (const [what, signature, because] of unsound)
  test(`a signature is refused that is ${what}`, () => {
    expect(reason(message, signature)).toBe(`bad-signature: ${because}`);
  });

test("the other v is another signer", () => {
  expect(reason(message, `0x${r}${s}${otherV}`)).toContain("bad-signature: The signature is not by 0xCD2a");
});

const times: [what: string, seconds: number, outcome: string][] = [
  ["holds for a second", 1, `taken from ${wallet.toLowerCase()}`],
  ["is over now", 0, "bad-expiry: The signature expired at 2026-02-18T12:00:00.000Z."],
  ["was over long ago", -at / 1000, "bad-expiry: The signature expired at 1970-01-01T00:00:00.000Z."],
  ["holds for ten minutes", 600, `taken from ${wallet.toLowerCase()}`],
  [
    "would hold for longer",
    601,
    "bad-expiry: The signature would hold until 2026-02-18T12:10:01.000Z, longer than 10 minutes.",
  ],
];
for (const [what, seconds, outcome] of times)
  test(`a signature that ${what}: ${outcome.split(":")[0]}`, () => {
    const one = { ...message, expires: at / 1000 + seconds };
    expect(reason(one, signed(one))).toBe(outcome);
  });

test("half a character is refused: it would be signed as the sign for an unreadable one", () => {
  const one = { ...message, body: "\ufffd" };
  expect(reason({ ...one, body: "\ud800" }, signed(one))).toBe("bad-signature: The message holds half a character.");
});

test("a sender that is no address is refused", () => {
  expect(reason({ ...message, sender: "bo" }, sound)).toBe('bad-signature: The sender "bo" is no address.');
});
