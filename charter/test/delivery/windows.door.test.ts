import { expect, onTestFinished, test } from "vitest";
import { charterMeanwhile } from "../cli.ts";
import { newFile } from "../homes.ts";
import { startContextServer } from "./context-servers.ts";

test("a chat asks the server, doctor says what holds and why, and --window replaces it", async () => {
  const place = await newFile();
  onTestFinished(place.remove);
  const server = await startContextServer({ provider: "vllm", window: 50_000 });
  onTestFinished(server.close);
  const { PATH = "", HOME = "" } = process.env;
  const run = (...args: string[]) =>
    charterMeanwhile([...args, "--database", place.url], { cwd: "/", env: { ...server.env, PATH, HOME } });
  const doctorSays = async () => {
    const { stdout } = await run("doctor");
    return stdout.split("\n").filter((line) => line.includes(server.model));
  };
  expect((await run("agents", "add", "ada", "--charter", "assistant", "--model", server.model)).code).toBe(0);
  expect(await doctorSays()).toEqual([
    `fine  “ada”: how many tokens ${server.model} takes is not known yet; the first request that is too long teaches it.`,
  ]);
  const said = await run("chat", "--agent", "ada", "--user", "bo", "Hello.");
  expect([said.code, said.stdout]).toEqual([0, "All right.\n"]);
  expect(await doctorSays()).toEqual([
    `fine  “ada”: requests to ${server.model} have at most 50,000 tokens, as its server told.`,
  ]);
  const small = await run("chat", "--agent", "ada", "--user", "cy", "--window", "1000", "Hello. ".repeat(1000));
  expect([small.code, small.stderr]).toEqual([1, expect.stringMatching(/request-too-long: .* takes 1,000\./)]);
  expect(server.asked.length).toBe(1);
  const bad = await run("chat", "--agent", "ada", "--user", "cy", "--window", "80", "Hello.");
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining("bad-window: 80 is no window.")]);
});
