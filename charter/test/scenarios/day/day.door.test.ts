import { test } from "vitest";
import { expectDay } from "./day.ts";
import { window } from "./servers.ts";

test(`30 turns of four users at all doors, with models of ${window} tokens: all answered, nothing lost, no word astray`, () =>
  expectDay("sqlite", 30));
