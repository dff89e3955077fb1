import { test } from "vitest";
import { runs } from "../tiers/search.ts";
import { declared, sameBytes } from "./charter-folder.ts";
import { alwaysAsync } from "./generate.ts";

test("a charter makes the same prompt as files and as TypeScript", async () => {
  await alwaysAsync(declared, (one) => sameBytes(one), runs(30, 1000));
});
