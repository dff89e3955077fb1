import { test } from "vitest";
import { times } from "../../tiers/search.ts";
import { tryMalformed } from "./malformed.ts";

test("100,000 malformed bodies are refused in OpenAI's form", () => tryMalformed(times(100_000, 100)));
