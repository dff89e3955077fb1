export { signInLink } from "../operations/users/sign-in-link.ts";
export { type Config, defineConfig } from "./config.ts";
export type { DemoFacts } from "./demo-facts.ts";
export { inboxTypedData, type SignedMessage } from "./inbox/signed-message.ts";
export type { TypedData } from "./inbox/typed-data.ts";
export { createLog, type Log, type LogEntry } from "./observe/log.ts";
export { type OpenedCharter, type OpenOptions, openCharter, type Services } from "./open.ts";
