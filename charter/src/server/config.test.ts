import { describe, expect, test } from "vitest";
import { usesWebhook } from "../channels/telegram/bots.ts";
import { type Config, checkConfig, configurationOf, settings } from "./config.ts";
import type { SettingTable } from "./setting.ts";

test("the file's words, over them the environment's, over them the flags'", () => {
  const openai = { system: "foreign" } as const;
  const file = { port: 1, model: "file/model", zone: "Europe/Rome", graceSeconds: 5, openai };
  const env = {
    // It says that agents are served so; how, only the file does.
    CHARTER_OPENAI: "true",
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
    openai,
  });
});

test("every variable sets one setting, and every option is taken before its variable", () => {
  const rows = Object.entries(settings as SettingTable);
  const variables = rows.flatMap(([, { env }]) => (typeof env === "object" ? Object.values(env.fields) : (env ?? [])));
  expect(variables).toHaveLength(new Set(variables).size);
  const words: Record<string, readonly [variable: string, option: string | boolean, taken: unknown]> = {
    ...{ database: ["a.db", "b.db", "b.db"], host: ["::1", "127.0.0.1", "127.0.0.1"], port: ["1", "2", 2] },
    ...{ url: ["http://a", "http://b/", "http://b"], model: ["a/b", "c/d", "c/d"], window: ["1000", "2000", 2000] },
    zone: ["UTC", "Europe/Rome", "Europe/Rome"],
    openai: ["true", true, true],
  };
  expect(rows.filter(([, { option }]) => option).map(([name]) => name)).toEqual(Object.keys(words));
  for (const [name, [variable, option, taken]] of Object.entries(words)) {
    const env = { [(settings as SettingTable)[name]?.env as string]: variable };
    expect(configurationOf({}, env, { [name]: option })).toEqual({ [name]: taken });
  }
});

test("the type of the settings is that of their rows", () => {
  const config = { port: 1, model: ["a", "b"], keepContext: true, telegram: { token: "1:a" } } satisfies Config;
  // @ts-expect-error: a port is a number.
  const wrong: Config = { port: "1" };
  // @ts-expect-error: there is no such setting.
  const unknown: Config = { prot: 1 };
  expect([config.port, wrong.port, Object.keys(unknown)]).toEqual([1, "1", ["prot"]]);
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
  expect(() => configurationOf({}, { ...env, CHARTER_OIDC_ISSUER: "http://id.example.com" }, {})).toThrow(
    "“oidc.issuer”",
  );
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
  const is = (setting: string, what: string) => `bad-config: The setting “${setting}” in charter.config.ts ${what}.`;
  test.for([
    [{ prot: 1 }, "bad-config: charter.config.ts sets “prot”, which is not a setting."],
    [{ port: "1" }, "bad-config: The setting “port” in charter.config.ts is invalid."],
    [{ openai: { system: "own" } }, "bad-config: The setting “openai” in charter.config.ts is invalid."],
    [{ telegram: { agent: "ada" } }, "bad-config: The setting “telegram” in charter.config.ts is invalid."],
    [{ automaton: "sol" }, is("automaton", "is no object")],
    [{ automaton: [{ agent: "a" }, null] }, is("automaton", "is no object")],
    [{ automaton: {} }, is("automaton", "has no agent")],
    [{ automaton: { agent: 1 } }, is("automaton.agent", "is no agent's name")],
    [
      { automaton: { agent: "a", evry: 5 } },
      "bad-config: charter.config.ts sets “automaton.evry”, which is not a setting. Those are agent, every, counterparts, chain.",
    ],
    [{ automaton: { agent: "a", every: "5" } }, is("automaton.every", "is no number of seconds from 1 up")],
    [{ automaton: { agent: "a", every: 0 } }, is("automaton.every", "is no number of seconds from 1 up")],
    [{ automaton: { agent: "a", counterparts: 6 } }, is("automaton.counterparts", "is no whole number from 1 to 5")],
    [{ automaton: { agent: "a", chain: { id: 1 } } }, "bad-config: “automaton.chain.rpc” of “a” is missing."],
    [{ inbox: true }, is("inbox", "is no object")],
    [
      { inbox: { sign: true } },
      "bad-config: charter.config.ts sets “inbox.sign”, which is not a setting. Those are signed, chain.",
    ],
    [{ inbox: { signed: 1 } }, is("inbox.signed", "is neither true nor false")],
    [{ inbox: { chain: 0.5 } }, is("inbox.chain", "is no number of a chain")],
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
