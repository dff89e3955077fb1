import { expect, test } from "vitest";
import { bothHomes } from "../../homes.ts";
import { importedAfter, type Moment, moments } from "./import-kill.ts";

test.each(bothHomes)(
  "an import into %s that was killed among the words and run again brings over what one in peace does",
  async (home) => {
    expect(await importedAfter(home, moments[2] as Moment)).toEqual(await importedAfter(home));
  },
);
