import { test } from "vitest";
import { tryMalformed } from "./malformed.ts";

test("a malformed body is refused in OpenAI's form, and nothing is asked", () => tryMalformed(600));
