export { cancelReminder } from "./tools/cancel-reminder.ts";
export { listReminders } from "./tools/list-reminders.ts";
export { nothingToReport, nothingToReportName } from "./tools/nothing-to-report.ts";
export { setReminder } from "./tools/set-reminder.ts";
export { setTimeZone } from "./tools/set-time-zone.ts";
