import { expect, test } from "vitest";
import { commandEnvironment } from "./run-command.ts";

test("no command is given the key of a chain, whatever its variable is called and whoever asks for it", () => {
  const key = "4f".repeat(32);
  const env = { PATH: "/bin", CHARTER_CHAIN_KEY: "anything", MINE: `0x${key}`, OTHER: key };
  expect(commandEnvironment(env, ["CHARTER_CHAIN_KEY", "MINE", "OTHER"])).toEqual({ PATH: "/bin" });
});
