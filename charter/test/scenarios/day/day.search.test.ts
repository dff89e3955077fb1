import { test } from "vitest";
import { bothHomes } from "../../homes.ts";
import { some, times } from "../../tiers/search.ts";
import { expectDay } from "./day.ts";

const turnCount = times(300);

test.each(some(bothHomes))(`a day of ${turnCount} turns at all doors, on %s`, (home) => expectDay(home, turnCount));
