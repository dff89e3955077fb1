export { nextTime } from "../schedules/next-time.ts";
export { type AskedSchedule, newSchedule } from "../schedules/schedule.ts";
export { createScheduling, type Scheduling, type SchedulingOptions } from "./scheduled/scheduling.ts";
export type { SchedulingEvent } from "./scheduled/scheduling-event.ts";
export type { Button } from "./telegram/approval.ts";
export { deliverTo, type Said } from "./telegram/deliver-to.ts";
export { splitMessage } from "./telegram/split.ts";
export { createTelegram, type Telegram, type TelegramOptions } from "./telegram/telegram.ts";
