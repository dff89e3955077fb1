export type { Jwt } from "./auth/json-web-token.ts";
export type { ListedPerson, Oidc } from "./auth/oidc/oidc.ts";
export { signInLink } from "./auth/sign-in-link.ts";
export {
  type AutomatonConfig,
  type ChainConfig,
  type Config,
  defineConfig,
  type InboxConfig,
  type TelegramConfig,
} from "./config.ts";
export type { DemoFacts } from "./demo-facts.ts";
export type { ApiLimitOptions, ApiLimits } from "./http/api-limits.ts";
export { inboxTypedData, type SignedMessage } from "./inbox/signed-message.ts";
export type { TypedData } from "./inbox/typed-data.ts";
export { createLog, type Log, type LogEntry } from "./observe/log.ts";
export { type OpenedCharter, type OpenOptions, openCharter, type Services } from "./open.ts";
