export { type CreateScheduleOptions, createSchedule } from "../schedules/schedule.ts";
export { type AutomatonLoop, type AutomatonOptions, createAutomaton } from "./automaton/automaton.ts";
export {
  type Channel,
  type ChannelDecision,
  type ChannelMessage,
  type ChannelOptions,
  type ChannelPost,
  createChannel,
} from "./channel.ts";
export type { Sleep, Tell } from "./loop.ts";
export { createScheduler, type Scheduler, type SchedulerEvent, type SchedulerOptions } from "./scheduled/scheduler.ts";
export type { SendFault } from "./sender.ts";
export { type Button, deliverTo, type OutgoingMessage } from "./telegram/deliver-to.ts";
export { createTelegram, type Telegram, type TelegramOptions } from "./telegram/telegram.ts";
export type { UserPage } from "./telegram/wording.ts";
