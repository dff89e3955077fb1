import { test } from "vitest";
import { expectNoneAbroad } from "./none-abroad.ts";

test("on PostgreSQL, no word of anyone's is in another's prompt, answer, message or row, nor in any log, metric or job", () =>
  expectNoneAbroad("postgres"));
