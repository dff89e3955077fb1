import { expect, test } from "vitest";
import { connectionLost, postgresProblem } from "./postgres-problem.ts";

const failed = (code: string, message = code) => Object.assign(new Error(message), code === "" ? {} : { code });

test.each([
  ["the server ends", failed("57P01")],
  ["the server crashed", failed("57P02")],
  ["the connection failed", failed("08006")],
  ["the socket was reset", failed("ECONNRESET", "read ECONNRESET")],
  ["nobody reads the socket any more", failed("EPIPE", "write EPIPE")],
  ["nobody answered", failed("ETIMEDOUT", "connect ETIMEDOUT")],
  ["the driver found it closed", failed("", "Connection terminated unexpectedly")],
])("a connection that is lost is a store out of reach: %s", (_, error) => {
  expect(connectionLost(error)).toBe(true);
  expect(postgresProblem(error, "db")).toMatchObject({ code: "store-unreachable" });
});

test("what is no matter of the connection stays what it is", () => {
  const error = failed("22P02", "invalid input syntax");
  expect(connectionLost(error)).toBe(false);
  expect(postgresProblem(error, "db")).toBe(error);
});
