import { isStandardSchema } from "../../agent/standard-schema.ts";
import { isMemoryOptions } from "../../agent/tools/memory-options.ts";
import { isWindow } from "../../agent/turn/window/window.ts";
import { checkModels } from "../../delivery/models/table/check-models.ts";
import type { ModelTable } from "../../delivery/models/table/model-entry.ts";
import { areModelNames } from "../../host/models/model-list.ts";
import { isRecord } from "../../prompt/argument.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import { checkOidc } from "../../server/auth/oidc/oidc.ts";
import { automataOf, checkAutomaton } from "../../server/automata.ts";
import type { Config, TelegramConfig } from "../../server/config.ts";
import { checkZone } from "../../store/zone.ts";
import { checkAcp } from "./acp-configuration.ts";
import { checkKeys } from "./key-configuration.ts";
import { checkMcp } from "./mcp-configuration.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Flags of the three commands, as they were given. */
export type ServeValues = {
  readonly database?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  readonly window?: string | undefined;
  readonly zone?: string | undefined;
};

const fields: Readonly<Record<string, (value: unknown) => boolean>> = {
  database: isText,
  data: (value) => Array.isArray(value) && value.every(isText),
  host: isText,
  port: isPort,
  url: (value) => isText(value) && /^https?:\/\/[^/]/.test(value) && URL.canParse(value),
  model: areModelNames,
  window: isWindow,
  zone: isText,
  operator: isText,
  lock: isText,
  limits: isRecord,
  tools: (value) => typeof value === "function" || (typeof value === "object" && value !== null),
  channels: isRecord,
  telegram: (value) => (Array.isArray(value) ? value : [value]).every((one) => isRecord(one) && isText(one.token)),
  inbox: (value) => isOf(value, inboxFields),
  // What is wrong with these is told by themselves.
  automaton: () => true,
  oidc: () => true,
  keys: () => true,
  acp: () => true,
  mcp: () => true,
  models: () => true,
  memory: isMemoryOptions,
  jwt: (value) => isRecord(value) && (isText(value.secret) || isText(value.jwks)) && isContext(value.context),
  context: isStandardSchema,
  keepContext: (value) => typeof value === "boolean",
  apiLimits: isRecord,
  hosts: (value) => Array.isArray(value) && value.every(isText),
  proxies: (value) => value === 0 || isCount(value),
  origins: (value) => Array.isArray(value) && value.every(isText),
  graceSeconds: (value) => value === 0 || isCount(value),
};

const inboxFields: typeof fields = {
  signed: (value) => value === undefined || typeof value === "boolean",
  chain: (value) => value === undefined || isCount(value),
};

/** How those are written that come out wrong most often. */
const asIn: Readonly<Record<string, string>> = {
  data: 'A list of paths, as in ["./state"]',
  port: "A number, as in 4747",
  window: "A whole number of tokens from 1000 up",
  url: "A whole address, as in https://charter.example.org",
  telegram: 'As in { agent: "ada", token: "123456789:AAE…" }, or a list of them',
  inbox: "As in { signed: true, chain: 8453 }",
  memory: 'As in { embed: "openai/text-embedding-3-small" }',
  jwt: "A secret, or jwks, the address of the keys",
  context: "A schema of zod, valibot, arktype or the like",
  keepContext: "true or false",
  proxies: "How many proxies of yours add to X-Forwarded-For, as in 1",
};

/** A configuration file's words, checked: a field that is not known, or of the wrong kind, is named. */
export function checkConfig(value: unknown, path: string): Config {
  if (!isRecord(value))
    throw new Problem("bad-config", `${path} exports no object.`, "Write: export default { port: 4747 };");
  for (const [name, given] of Object.entries(value)) {
    const sound = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!sound)
      throw new Problem(
        "bad-config",
        `${path} sets “${name}”, which is not a setting.`,
        `The settings are ${listed(Object.keys(fields))}.`,
      );
    if (given !== undefined && !sound(given))
      throw new Problem(
        "bad-config",
        `The setting “${name}” in ${path} is invalid.`,
        `${(Object.hasOwn(asIn, name) && asIn[name]) || "It is of another kind"}: docs/assistant.md#settings.`,
      );
  }
  if (value.oidc !== undefined) checkOidc(value.oidc);
  if (value.keys !== undefined) checkKeys(value.keys, path);
  if (value.acp !== undefined) checkAcp(value.acp, path);
  if (value.mcp !== undefined) checkMcp(value.mcp, path);
  if (value.models !== undefined) checkTable(value.models, path);
  for (const automaton of automataOf(value as Config)) checkAutomaton(automaton);
  return value as Config;
}

/** The setting `models`, wherever it is written. */
export function checkTable(models: unknown, path: string): ModelTable {
  return checkModels(models, { place: path, code: "bad-config" });
}

/** The file's words, over them the environment's, over them the flags'. */
export function configurationOf(file: Config, env: Environment, flags: ServeValues): Config {
  const said = (name: string) => env[name]?.trim() || undefined;
  const port = flags.port ?? said("CHARTER_PORT");
  const token = said("TELEGRAM_BOT_TOKEN");
  const proxies = said("CHARTER_PROXIES");
  const automaton = said("CHARTER_AUTOMATON");
  const window = flags.window ?? said("CHARTER_WINDOW");
  const given = {
    database: flags.database ?? said("CHARTER_DATABASE"),
    host: flags.host ?? said("CHARTER_HOST"),
    port: port === undefined ? undefined : portOf(port),
    url: (flags.url ?? said("CHARTER_URL"))?.replace(/\/+$/, ""),
    model: flags.model ?? said("CHARTER_MODEL"),
    window: window === undefined || !/^\d+$/.test(window) ? window : Number(window),
    zone: flags.zone ?? said("CHARTER_ZONE"),
    telegram: token === undefined ? undefined : telegramOf(token, said),
    automaton: automaton === undefined ? undefined : { agent: automaton },
    jwt: jwtOf(said),
    oidc: oidcOf(file.oidc, said),
    proxies: proxies === undefined || !/^\d+$/.test(proxies) ? proxies : Number(proxies),
  };
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const config = checkConfig({ ...file, ...Object.fromEntries(set) }, "the configuration");
  if (config.zone !== undefined) checkZone(config.zone);
  return config;
}

function telegramOf(token: string, said: (name: string) => string | undefined): TelegramConfig {
  const [agent, secret, api] = ["TELEGRAM_AGENT", "TELEGRAM_SECRET", "TELEGRAM_API_ROOT"].map(said);
  return {
    token,
    ...(agent ? { agent } : {}),
    ...(secret ? { secret } : {}),
    ...(api ? { api } : {}),
  };
}

function jwtOf(said: (name: string) => string | undefined): Config["jwt"] | undefined {
  const [secret, jwks] = [said("CHARTER_JWT_SECRET"), said("CHARTER_JWKS_URL")];
  if (secret === undefined && jwks === undefined) return undefined;
  const [issuer, audience, context] = ["ISSUER", "AUDIENCE", "CONTEXT"].map((name) => said(`CHARTER_JWT_${name}`));
  return {
    ...(secret ? { secret } : {}),
    ...(jwks ? { jwks } : {}),
    ...(issuer ? { issuer } : {}),
    ...(audience ? { audience } : {}),
    ...(context ? { context } : {}),
  } as Config["jwt"];
}

/** The environment adds to what the file says: the secret stands there, and the lists in the file. */
function oidcOf(file: Config["oidc"], said: (name: string) => string | undefined): Config["oidc"] | undefined {
  const [issuer, clientId, clientSecret] = ["ISSUER", "CLIENT_ID", "CLIENT_SECRET"].map((name) =>
    said(`CHARTER_OIDC_${name}`),
  );
  if (file === undefined && issuer === undefined) return undefined;
  return {
    ...file,
    ...(issuer ? { issuer } : {}),
    ...(clientId ? { clientId } : {}),
    ...(clientSecret ? { clientSecret } : {}),
  } as Config["oidc"];
}

function portOf(words: string): number {
  const port = Number(words);
  if (/^\d+$/.test(words) && isPort(port)) return port;
  throw new Problem("usage", `“${words}” is no port.`, "Give a whole number from 0 to 65535; 0 is any that is free.");
}

/** An object with these fields alone, each as it has to be. */
function isOf(value: unknown, of: typeof fields): boolean {
  if (!isRecord(value)) return false;
  const isKnown = Object.keys(value).every((name) => Object.hasOwn(of, name));
  return isKnown && Object.entries(of).every(([name, isSound]) => isSound(value[name]));
}

/** The name of a claim, if there is one. */
function isContext(claim: unknown): boolean {
  return claim === undefined || isText(claim);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
