export { type NextTimeOptions, nextTime } from "../schedules/next-time.ts";
export { type CreateScheduleOptions, createSchedule } from "../schedules/schedule.ts";
export { type AutomatonLoop, type AutomatonOptions, createAutomaton } from "./automaton/automaton.ts";
export { type ChainReader, type ChainReaderOptions, createChainReader } from "./chain/chain-reader.ts";
export type { ChainSettings } from "./chain/chain-settings.ts";
export type { RpcClient, RpcNode } from "./chain/rpc-client.ts";
export {
  createPublicationWorker,
  type PublicationWorker,
  type PublicationWorkerOptions,
} from "./publication-worker.ts";
export { createScheduler, type Scheduler, type SchedulerOptions } from "./scheduled/scheduler.ts";
export type { SchedulerEvent } from "./scheduled/scheduler-event.ts";
export type { Button } from "./telegram/approval.ts";
export { deliverTo, type OutgoingMessage } from "./telegram/deliver-to.ts";
export { splitMessage } from "./telegram/split.ts";
export { createTelegram, type Telegram, type TelegramOptions } from "./telegram/telegram.ts";
export type { UserPage } from "./user-page.ts";
