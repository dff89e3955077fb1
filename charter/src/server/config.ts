import { isMemoryOptions, type MemoryOptions } from "../agent/agent-options.ts";
import type { Limits } from "../agent/limits.ts";
import type { McpEntry } from "../agent/mcp/mcp-entry.ts";
import { isStandardSchema, type StandardSchema } from "../agent/schema.ts";
import { isWindow } from "../agent/turn/window.ts";
import { type AutomatonConfig, checkAutomata } from "../channels/automata.ts";
import type { TelegramConfig } from "../channels/telegram/bots.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import type { AcpEntry } from "../delivery/acp/entry.ts";
import { checkModels, type ModelTable } from "../delivery/models/model-entry.ts";
import type { Environment } from "../delivery/models/provider.ts";
import type { HostTools, HostWatcher } from "../host/host-options.ts";
import { checkCharterNames, type HostCharters } from "../host/load.ts";
import { areModelNames } from "../host/models/model-names.ts";
import { checkSources, type SourceEntry } from "../host/named-source.ts";
import { isFunction, isObject, isRecord, kindOf } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { KeyConfigs } from "../sources/core-memory/key-source.ts";
import { checkZone } from "../store/scope.ts";
import type { Jwt } from "./auth/json-web-token.ts";
import { checkOidc, type Oidc } from "./auth/oidc.ts";
import type { ApiLimitOptions } from "./http/limits.ts";
import {
  acpEntries,
  address,
  checkEntries,
  checked,
  checkSettings,
  fitting,
  flag,
  keyEntries,
  mcpEntries,
  port,
  type SettingsOf,
  type SettingTable,
  type SettingValues,
  settingsOver,
  text,
  texts,
  whole,
} from "./setting.ts";
import { checkInbox, type InboxConfig } from "./signed-message.ts";

const jwtFits = (value: unknown) =>
  isRecord(value) &&
  (text.fits(value.secret) || text.fits(value.jwks)) &&
  (value.context === undefined || text.fits(value.context));

const isGateway = (value: unknown) =>
  flag.fits(value) || (isRecord(value) && value.system === "foreign" && Object.keys(value).length === 1);

/** How the pages are that use the gateway. `system: "foreign"`: they put words of others, such as documents, into their system messages. */
export type GatewayOptions = { readonly system?: "user" | "foreign" };

/** Settings of Charter's own MCP server: whether models that use it read nothing that others wrote. */
export type McpServerConfig = { readonly trusted?: boolean };

const typed = { type: "string" } as const;

/**
 * All settings, declared once: the checks of a `charter.config.ts`, the type `Config`, the variables and options that override
 * it, and the table in docs/assistant.md come from here.
 */
export const settings = {
  /** The database: `.charter/charter.db`, or another file, or `postgres://…`. */
  database: { ...text, holds: "turns", env: "CHARTER_DATABASE", option: { ...typed, short: "d" } },
  /** Files and folders that programs write, as in `["./state"]`, written out: they are [not compared](files.md#settings). */
  data: { ...texts, wants: 'A list of paths, as in ["./state"]', holds: "turns" },
  /** The address to listen on: 127.0.0.1, unless given; `start` always uses loopback. */
  host: { ...text, holds: "service", env: "CHARTER_HOST", option: typed },
  /** The port: 4747, unless given. */
  port: { ...port, holds: "service", env: "CHARTER_PORT", option: { ...typed, short: "p" } },
  /** The public address, when that is not its own host and port: for links, cookies, webhooks, signed messages. */
  url: { ...address, holds: "service", env: "CHARTER_URL", option: typed },
  /** The model of agents that name none. Of a list, or `a,b`, [the next](models.md#a-second-model) is asked on an outage. */
  model: {
    ...fitting<string | readonly string[]>(areModelNames, "A name, as in provider/model, or a list of names"),
    ...{ holds: "turns", env: "CHARTER_MODEL", option: { ...typed, short: "m" } },
  },
  /** [Models of your own](models.md#models-of-your-own), by name; also in `models.json` beside the file. */
  models: {
    ...checked<ModelTable>((value, place) => checkModels(value, { place, code: "bad-config" })),
    holds: "turns",
  },
  /** The maximum number of tokens that `model` takes; known or [learned](models.md#windows), unless given. */
  window: {
    ...{ fits: isWindow, wants: "A whole number of tokens from 1000 up", read: whole.read },
    ...{ holds: "turns", env: "CHARTER_WINDOW", option: typed },
  },
  /** The time zone of users who have set none; the machine's, unless given. */
  zone: { ...text, check: (zone) => checkZone(zone as string), holds: "turns", env: "CHARTER_ZONE", option: typed },
  /** The user id of the operator when they chat. */
  operator: { ...text, holds: "turns" },
  /** The path of the lock file, in place of `charter.lock`. */
  lock: { ...text, holds: "turns" },
  /** [Limits](agent.md#limits) of a turn, and of what a day may cost. */
  limits: { ...fitting<Partial<Limits>>(isRecord), holds: "turns" },
  /** Tools for the agents: the same for all, or by agent and channel. */
  tools: {
    ...fitting<HostTools>(
      (value) => isFunction(value) || isObject(value),
      "A list of tools, or a function that gives it",
    ),
    holds: "turns",
  },
  /** [Charters of your own](own-charters.md#by-name), by the names that agents use: `{ tally }`. */
  charters: {
    ...checked<HostCharters>((value, place) => {
      if (!isRecord(value))
        throw new Problem(
          "bad-config",
          `“charters” in ${place} is ${kindOf(value)}.`,
          "Give charters by name: { tally }.",
        );
      checkCharterNames(value, { place, code: "bad-config" });
    }),
    holds: "turns",
  },
  /** [Sources](charter-folder.md#sources) that charters in folders may name: `{ weather }`: a function, `{ url }`, `{ command }` or `{ mcp, uri }`. */
  sources: {
    ...checked<Readonly<Record<string, SourceEntry>>>((value, place) =>
      checkSources(value, { place, code: "bad-config" }),
    ),
    holds: "turns",
  },
  /** Further channels, with their guidance. */
  channels: { ...fitting<Channels>(isRecord), holds: "turns" },
  /** A [bot](telegram.md), or a list; with a secret, a webhook. */
  telegram: {
    ...fitting<TelegramConfig | readonly TelegramConfig[]>(
      (value) => [value].flat().every((one) => isRecord(one) && text.fits(one.token)),
      'As in { agent: "ada", token: "123456789:AAE…" }, or a list of them',
    ),
    holds: "service",
    env: {
      fields: {
        ...{ token: "TELEGRAM_BOT_TOKEN", agent: "TELEGRAM_AGENT" },
        ...{ secret: "TELEGRAM_SECRET", api: "TELEGRAM_API_ROOT" },
      },
      needs: ["token"],
    },
  },
  /** The agent that [lives by itself](automaton.md), or a list of them: `{ agent, every: 300, counterparts: 1, chain }`. */
  automaton: {
    ...checked<AutomatonConfig | readonly AutomatonConfig[]>(checkAutomata),
    holds: "service",
    env: { fields: { agent: "CHARTER_AUTOMATON" }, needs: ["agent"] },
  },
  /** `{ signed: true }`: messages may be [signed](http.md#signed-messages) instead of posted with a token; `chain` (8453). */
  inbox: { ...checked<InboxConfig>(checkInbox), holds: "service" },
  /** The [keys](resident.md#keys) of residents, by name: `{ file }`, `{ env }` or `{ command }`. */
  keys: { ...checked<KeyConfigs>(checkEntries(keyEntries)), holds: "turns" },
  /** [Agents over ACP](acp.md), by name: with `{ claude: { command: ["…"] } }` an agent may have the model `acp/claude`. */
  acp: { ...checked<Readonly<Record<string, AcpEntry>>>(checkEntries(acpEntries)), holds: "turns" },
  /** `{ embed: "provider/model" }`: notes are found by what they [mean](memory.md#by-what-notes-mean) as well. */
  memory: {
    ...fitting<MemoryOptions>(isMemoryOptions, 'As in { embed: "openai/text-embedding-3-small" }'),
    holds: "turns",
  },
  /** [MCP servers](mcp.md) whose tools agents may have, by name: `{ notes: { url: "https://…/mcp" } }`. */
  mcp: { ...checked<Readonly<Record<string, McpEntry>>>(checkEntries(mcpEntries)), holds: "turns" },
  /** `{ trusted: true }`: the models at [`/mcp`](mcp.md#charter-as-an-mcp-server) read nothing that others wrote, so what they propose does not wait. */
  mcpServer: {
    ...fitting<McpServerConfig>(
      (value) => isRecord(value) && Object.entries(value).every(([name, one]) => name === "trusted" && flag.fits(one)),
      "As in { trusted: true }",
    ),
    holds: "service",
  },
  /** [JSON Web Tokens](security.md#json-web-tokens) of users: a shared `secret`, or `jwks`, the address of the keys. */
  jwt: {
    ...fitting<Jwt>(jwtFits, "A secret, or jwks, the address of the keys"),
    holds: "service",
    env: {
      fields: {
        ...{ secret: "CHARTER_JWT_SECRET", jwks: "CHARTER_JWKS_URL", issuer: "CHARTER_JWT_ISSUER" },
        ...{ audience: "CHARTER_JWT_AUDIENCE", context: "CHARTER_JWT_CONTEXT" },
      },
      needs: ["secret", "jwks"],
    },
  },
  /** Serves agents as [models of OpenAI's API](gateway.md), under `/v1`: for chat pages and SDKs; `{ system: "foreign" }` for [pages with documents](gateway.md#other-peoples-words). */
  openai: {
    ...fitting<boolean | GatewayOptions>(isGateway, 'true or false, or { system: "foreign" }'),
    ...{ holds: "service", env: "CHARTER_OPENAI", option: { type: "boolean" } },
    read: (words) => (words === "true" ? true : words),
  },
  /** The header in which a [chat page with one token](gateway.md#one-key-for-many-people) names the person. */
  openaiUser: { ...text, holds: "service", env: "CHARTER_OPENAI_USER" },
  /** Sign-in [at an issuer](users-page.md#by-your-companys-sign-in): `{ issuer, clientId, people, operators }`. */
  oidc: {
    ...checked<Oidc>(checkOidc),
    holds: "service",
    // The secret comes from the environment, and the lists from the file.
    env: {
      fields: {
        ...{ issuer: "CHARTER_OIDC_ISSUER", clientId: "CHARTER_OIDC_CLIENT_ID" },
        clientSecret: "CHARTER_OIDC_CLIENT_SECRET",
      },
      needs: ["issuer"],
      adds: true,
    },
  },
  /** The schema the [context](agent.md#request-context) of turns must match, of zod, valibot, arktype or the like. */
  context: {
    ...fitting<StandardSchema>(isStandardSchema, "A schema of zod, valibot, arktype or the like"),
    holds: "turns",
  },
  /** Stores the context of a turn with it. */
  keepContext: { ...flag, holds: "turns" },
  /** A function that is called with every event of every turn, such as [traces](opentelemetry.md): `traceTurns(…)`. */
  on: { ...fitting<HostWatcher>(isFunction, "A function, as in traceTurns({ context, trace })"), holds: "turns" },
  /** The [limits](security.md) of the API for its callers. */
  apiLimits: { ...fitting<ApiLimitOptions>(isRecord), holds: "service" },
  /** Names the server answers to, besides its own and that of `url`. */
  hosts: { ...texts, holds: "service" },
  /** The number of your [proxies](security.md#behind-a-proxy) that add to `X-Forwarded-For`; unless given, it is ignored. */
  proxies: {
    ...{ ...whole, wants: "How many proxies of yours add to X-Forwarded-For, as in 1" },
    ...{ holds: "service", env: "CHARTER_PROXIES" },
  },
  /** The origins whose pages may call the API from a browser. */
  origins: { ...texts, holds: "service" },
  /** Seconds a shutdown waits for turns that run: 30, unless given. */
  graceSeconds: { ...whole, holds: "service" },
} satisfies SettingTable;

/**
 * The settings in a `charter.config.ts`, by name. Every one has a default; docs/assistant.md has the table.
 *
 * @opaque
 */
export interface Config extends SettingsOf<typeof settings> {}

/** Options of commands that override settings. */
export type ConfigValues = SettingValues<typeof settings>;

/** Checks the export of a configuration file. */
export const checkConfig = (given: unknown, place: string): Config => checkSettings(settings, given, place);

/** Combines settings: the environment overrides the file, and options override both. */
export function configurationOf(file: Config, env: Environment, options: ConfigValues): Config {
  const config = settingsOver(settings, file, env, options);
  // The option says that it is served; how, only the file does.
  return config.openai && file.openai ? { ...config, openai: file.openai } : config;
}

/** Returns the config as it is: for a `charter.config.ts` with completion and type checks. */
export function defineConfig(config: Config): Config {
  return config;
}
