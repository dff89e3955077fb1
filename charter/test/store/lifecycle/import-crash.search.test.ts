import { expect, test } from "vitest";
import { bothHomes } from "../../homes.ts";
import { some } from "../../tiers/search.ts";
import { importedAfter, moments } from "./import-kill.ts";

const deaths = bothHomes.flatMap((home) => moments.map((moment) => [home, moment[0], moment] as const));

test.each(some(deaths))(
  "an import into %s that was killed when %s and run again brings over what one in peace does",
  async (home, _, moment) => {
    expect(await importedAfter(home, moment)).toEqual(await importedAfter(home));
  },
);
