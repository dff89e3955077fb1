import { expect, test } from "vitest";
import { importedAfter, type Moment, moments } from "./import-kill.ts";

test("an import that was killed among the words and run again brings over what one in peace does", async () => {
  const [killed, peace] = await Promise.all([importedAfter("sqlite", moments[2] as Moment), importedAfter("sqlite")]);
  expect(killed).toEqual(peace);
}, 120_000);
