import { describe, expect, test } from "vitest";
import { usesWebhook } from "../../server/config.ts";
import { checkConfig, configurationOf } from "./configuration.ts";

test("the file's words, over them the environment's, over them the flags'", () => {
  const file = { port: 1, model: "file/model", zone: "Europe/Rome", graceSeconds: 5 };
  const env = {
    CHARTER_PORT: "2",
    CHARTER_MODEL: "env/model",
    CHARTER_URL: "https://charter.example.org/",
    CHARTER_ZONE: " ",
  };
  expect(configurationOf(file, env, { port: "3" })).toEqual({
    port: 3,
    model: "env/model",
    zone: "Europe/Rome",
    url: "https://charter.example.org",
    graceSeconds: 5,
  });
});

test("how many proxies there are comes from the environment too, none included", () => {
  for (const [words, proxies] of [
    ["2", 2],
    ["0", 0],
  ] as const)
    expect(configurationOf({ proxies: 1 }, { CHARTER_PROXIES: words }, {})).toEqual({ proxies });
  for (const words of ["-1", "one", "1.5"])
    expect(() => configurationOf({}, { CHARTER_PROXIES: words }, {})).toThrow("“proxies”");
});

test("a bot and its agent come from the environment", () => {
  const env = { TELEGRAM_BOT_TOKEN: "1:a", TELEGRAM_AGENT: "ada", TELEGRAM_SECRET: "s".repeat(32) };
  const { telegram } = configurationOf({}, env, {});
  expect(telegram).toEqual({ token: "1:a", agent: "ada", secret: "s".repeat(32) });
});

test("the issuer comes from the environment, and its secret beside what the file lists", () => {
  const env = { CHARTER_OIDC_ISSUER: "https://id.example.com", CHARTER_OIDC_CLIENT_ID: "charter" };
  const { oidc } = configurationOf({}, { ...env, CHARTER_OIDC_CLIENT_SECRET: "s" }, {});
  expect(oidc).toEqual({ issuer: "https://id.example.com", clientId: "charter", clientSecret: "s" });
  const file = { oidc: { issuer: "https://file.example.com", clientId: "charter", operators: ["1"] } };
  expect(configurationOf(file, { CHARTER_OIDC_CLIENT_SECRET: "s" }, {})).toEqual({
    oidc: { ...file.oidc, clientSecret: "s" },
  });
  expect(() => configurationOf({}, { CHARTER_OIDC_ISSUER: "http://id.example.com" }, {})).toThrow("“oidc.issuer”");
});

test("the agent that lives by itself comes from the environment, too", () => {
  const { automaton } = configurationOf({ automaton: { agent: "ada", every: 60 } }, { CHARTER_AUTOMATON: "sol" }, {});
  expect(automaton).toEqual({ agent: "sol" });
});

test.for([
  ["no secret: it is fetched", {}, false],
  ["a secret means a webhook, wherever it was set", { secret: "s" }, true],
  ["unless it is said otherwise", { secret: "s", webhook: false }, false],
  ["a webhook without a secret is one, and is refused later", { webhook: true }, true],
] as const)("whether Telegram posts a bot's updates: %s", ([, bot, posted]) => {
  expect(usesWebhook({ token: "1:a", ...bot })).toBe(posted);
});

describe("what cannot be used is named", () => {
  const problem = (work: () => unknown) => {
    try {
      return work();
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      return `${code}: ${message}`;
    }
  };
  test.for([
    [{ prot: 1 }, "bad-config: charter.config.ts sets “prot”, which is not a setting."],
    [{ port: "1" }, "bad-config: The setting “port” in charter.config.ts is invalid."],
    [{ telegram: { agent: "ada" } }, "bad-config: The setting “telegram” in charter.config.ts is invalid."],
    [{ automaton: "sol" }, "bad-config: “automaton” is no object."],
    [{ automaton: [{ agent: "a" }, null] }, "bad-config: “automaton” is no object."],
    [{ automaton: {} }, "bad-config: An agent of “automaton” has no name."],
    [{ automaton: { agent: 1 } }, "bad-config: An agent of “automaton” has no name."],
    [{ automaton: { agnet: "sol" } }, "bad-config: “automaton.agnet” is no setting."],
    [{ automaton: { agent: "a", every: "5" } }, "bad-config: “automaton.every” of “a” is 5."],
    [{ automaton: { agent: "a", every: 0 } }, "bad-config: “automaton.every” of “a” is 0."],
    [{ automaton: { agent: "a", counterparts: 6 } }, "bad-config: “automaton.counterparts” of “a” is 6."],
    [{ automaton: { agent: "a", chain: { id: 1 } } }, "bad-config: “automaton.chain.rpc” of “a” is missing."],
    ...[true, { sign: true }, { signed: "no" }, { signed: 1 }, { chain: "8453" }, { chain: 0.5 }].map(
      (inbox) => [{ inbox }, "bad-config: The setting “inbox” in charter.config.ts is invalid."] as const,
    ),
    [[], "bad-config: charter.config.ts exports no object."],
  ] as const)("%j", ([value, said]) => {
    expect(problem(() => checkConfig(value, "charter.config.ts"))).toBe(said);
  });
  test("an address that is none, wherever it was said", () => {
    const said = "bad-config: The setting “url” in the configuration is invalid.";
    for (const url of ["foo", "https://exa mple", "https://[bad", "https:///x"]) {
      expect(problem(() => configurationOf({}, {}, { url }))).toBe(said);
      expect(problem(() => configurationOf({}, { CHARTER_URL: url }, {}))).toBe(said);
    }
  });
  test("a port and a zone that are none", () => {
    expect(problem(() => configurationOf({}, { CHARTER_PORT: "x" }, {}))).toBe("usage: “x” is no port.");
    expect(problem(() => configurationOf({ zone: "Mars/X" }, {}, {}))).toBe("bad-zone: “Mars/X” is no time zone.");
  });
});
