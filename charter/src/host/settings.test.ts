import { expect, test } from "vitest";
import { Problem } from "../prompt/problem.ts";
import { checkSettings } from "./agent-settings.ts";

const secret = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5";

const said = (settings: unknown) => {
  try {
    return checkSettings(settings);
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message}`;
    throw error;
  }
};

test.for([
  [{ base: `My key is ${secret}.` }, ", in “base”"],
  [{ memory: { key: secret } }, ", in “memory.key”"],
  [{ memory: { relays: ["wss://a", secret.toUpperCase()] } }, ", in “memory.relays.1”"],
  [{ memory: { [secret]: 1 } }, ", in “memory”"],
  [{ [secret]: 1 }, ""],
] as const)("a secret key in settings is refused without being repeated: %#", ([settings, where]) => {
  expect(said(settings)).toBe(
    `bad-settings: The settings contain a secret Nostr key${where}: settings are shown, and are part of checkpoints.`,
  );
});

test("words about secret keys are no secret key", () => {
  const settings = { base: "Never show anyone your nsec1… key.", memory: null, zone: "Europe/Rome", reserve: 1 };
  expect(said(settings)).toBe(settings);
});

test.for(["Nowhere/Land", "", "Europe/rome "])("a zone that is none is refused when it is set: %j", (zone) => {
  expect(said({ zone })).toBe(`bad-settings: The setting “zone” is ${JSON.stringify(zone)}, which is no time zone.`);
});
