import { z } from "@hono/zod-openapi";
import { notice } from "./agent.ts";
import { scope, time, user } from "./name.ts";
import { more } from "./page.ts";

const missed = z.enum(["once", "skip"]).openapi({
  description: "When nobody ran at its time: run once for the latest, or not at all.",
});
const overlap = z.enum(["skip", "queue"]).openapi({
  description: "When the run before it is still going: leave it out, or let it wait.",
});

const schedule = z
  .object({
    id: z.string(),
    scope,
    title: z.string().openapi({ example: "Morning digest" }),
    cron: z.string().nullable().openapi({ example: "0 8 * * 1-5" }),
    zone: z.string().nullable().openapi({ example: "Europe/Berlin" }),
    input: z.string().openapi({ example: "Summarise my new mail." }),
    channel: z.string(),
    missed,
    overlap,
    maxTries: z.int(),
    nextAt: time.nullable(),
    lastAt: time.nullable(),
    endedAt: time.nullable(),
  })
  .openapi("Schedule", { description: "A turn that runs at a set time: once, or recurring by a cron line." });

export const madeSchedule = schedule
  .extend({ notices: z.array(notice).readonly() })
  .openapi("MadeSchedule", { description: "A schedule, and what whoever set it should know." });

export const scheduleList = z
  .object({ schedules: z.array(schedule).readonly(), more })
  .openapi("ScheduleList", { description: "The next one first." });

export const newSchedule = z
  .strictObject({
    title: schedule.shape.title,
    input: schedule.shape.input,
    cron: z.string().optional().openapi({ description: "Five or six fields; this, or `at`.", example: "0 8 * * 1-5" }),
    at: z
      .string()
      .optional()
      .openapi({ description: "Once, then; an ISO 8601 time.", example: "2026-02-18T15:04:00Z" }),
    zone: z.string().optional().openapi({ description: "Whose clock the cron line is read by; the user's own." }),
    missed: missed.optional(),
    overlap: overlap.optional(),
    maxTries: z.int().min(1).optional(),
    user,
  })
  .openapi("NewSchedule", {
    example: { title: "Morning digest", input: "Summarise my new mail.", cron: "0 8 * * 1-5" },
  });

export const cancelResult = z.object({ cancelled: z.string() }).openapi("CancelResult");

export const runState = z.enum(["waiting", "running", "answered", "quiet", "failed", "missed", "skipped"]);

const run = z
  .object({
    id: z.string(),
    scope,
    schedule: z.string(),
    dueAt: time,
    state: runState.openapi({ description: "`quiet`: there was nothing to report." }),
    tries: z.int(),
    nextTryAt: time.nullable(),
    turn: z.string().nullable(),
    reason: z.string().nullable(),
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    reply: z.string().nullable().openapi({ description: "What came of it, where it was answered." }),
  })
  .openapi("Run", { description: "One run of a schedule, and its outcome." });

export const runList = z
  .object({ runs: z.array(run).readonly(), more })
  .openapi("RunList", { description: "Newest first." });
