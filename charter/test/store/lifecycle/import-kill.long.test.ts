import { describe, expect, test } from "vitest";
import { homes } from "../../homes.ts";
import { importedAfter, moments } from "./import-kill.ts";

describe.each(homes)("an import into %s that was killed and run again brings over what one in peace does", (home) => {
  const peace = importedAfter(home);
  test.for(moments)("killed when %s", { timeout: 300_000 }, async (moment) => {
    expect(await importedAfter(home, moment)).toEqual(await peace);
  });
});
