import { test } from "vitest";
import { bothHomes } from "../../homes.ts";
import { times } from "../../tiers/search.ts";
import { onHome } from "../contract/given.ts";
import { expectIsolated } from "./expect-isolated.ts";

for (const home of bothHomes)
  onHome(home, `isolation, on ${home}`, (given) => {
    test("each user reaches what is theirs and nothing of another's, whatever was written in whatever order", () =>
      expectIsolated(given, times(300, 6)));
  });
