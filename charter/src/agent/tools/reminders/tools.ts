export { cancelReminder } from "./cancel-reminder.ts";
export { listReminders } from "./list-reminders.ts";
export { nothingToReport, nothingToReportName } from "./nothing-to-report.ts";
export { setReminder } from "./set-reminder.ts";
export { setTimeZone } from "./set-time-zone.ts";
