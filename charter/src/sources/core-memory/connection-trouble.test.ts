import { expect, test } from "vitest";
import { connectionTrouble, saidBy } from "./relay-client.ts";

const failed = (code: string) => Object.assign(new Error(code), { code });
const severally = (...codes: readonly string[]) =>
  Object.assign(new AggregateError(codes.map(failed)), { code: codes[0] });

test.each([
  ["ECONNREFUSED", failed("ECONNREFUSED"), "unreachable"],
  ["ENOTFOUND", failed("ENOTFOUND"), "unreachable"],
  ["ETIMEDOUT", failed("ETIMEDOUT"), "unreachable"],
  ["refused at both addresses", severally("ECONNREFUSED", "ENETUNREACH"), "unreachable"],
  ["refused at one address, reset at the other", severally("ECONNREFUSED", "ECONNRESET"), "closed"],
  ["ECONNRESET", failed("ECONNRESET"), "closed"],
  ["too many open files of our own", failed("EMFILE"), "closed"],
  ["a certificate that is over", failed("CERT_HAS_EXPIRED"), "closed"],
  ["no code", new Error("hm"), "closed"],
  ["no error", undefined, "closed"],
  ["what is no HTTP", failed("HPE_INVALID_CONSTANT"), "nonsense"],
])("before a connection stands, %s is told apart", (_what, error, kind) => {
  expect(connectionTrouble(error, false).kind).toBe(kind);
});

test.each(["ECONNREFUSED", "ETIMEDOUT", "EHOSTUNREACH", "ECONNRESET"])(
  "once a connection stood, the relay was there: %s is an end before the end",
  (code) => {
    expect(connectionTrouble(failed(code), true)).toEqual({
      kind: "closed",
      reason: `The connection broke (${code}).`,
    });
  },
);

test("what a relay says is one short line, whatever it sent", () => {
  expect([saidBy("a\u001b[2J\r\nb"), saidBy("x".repeat(500)).length, saidBy(" \n"), saidBy({ toString: 1 })]).toEqual([
    "a [2J b",
    200,
    "it did not say why",
    "it did not say why",
  ]);
});
