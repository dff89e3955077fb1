export { signInLink } from "../operations/users/tokens.ts";
export { type Config, defineConfig } from "./config.ts";
export type { DemoFacts } from "./http/this-server.ts";
export { createLog, type Log, type LogEntry } from "./observe/log.ts";
export { type OpenedCharter, type OpenOptions, openCharter, type Services } from "./open.ts";
export type { TypedData } from "./signed-message.ts";
export { inboxTypedData, type SignedMessage } from "./signed-message.ts";
