import { defined } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import { readPage } from "../store/home/query.ts";
import type { Run } from "../store/schedules/runs.ts";
import type { Store } from "../store/store.ts";
import { actingScopeFor, type Caller, reachOf } from "./caller.ts";
import { agent, flag, list, more, notice, object, oneOf, page, scope, text, time, user, whole } from "./field.ts";
import { operation } from "./operation.ts";
import { columns, timeText } from "./print/columns.ts";
import { hintsHere } from "./print/command-name.ts";

const missed = oneOf(["once", "skip"], "When nobody ran at its time: run once for the latest, or not at all.");
const overlap = oneOf(["skip", "queue"], "When the run before it is still going: leave it out, or let it wait.");
const title = text().example("Morning digest");
const input = text().example("Summarise my new mail.");

const scheduleFields = {
  id: text().told(),
  scope: scope.told(),
  title: title.told(),
  cron: text().example("0 8 * * 1-5").told().nullable(),
  zone: text().example("Europe/Berlin").told().nullable(),
  input: input.told(),
  channel: text().told(),
  missed: missed.told(),
  overlap: overlap.told(),
  maxTries: whole().told(),
  nextAt: time().told().nullable(),
  lastAt: time().told().nullable(),
  endedAt: time().told().nullable(),
  operator: flag("Of one without a user: its turns are the operator's own, not jobs.").optional(),
  tainted: flag("Untrusted text was in the turn that made it: its runs are tainted.").told().optional(),
};
const schedule = object(scheduleFields).named(
  "Schedule",
  "A turn that runs at a set time: once, or recurring by a cron line.",
);

const listSchedules = operation({
  name: "schedules.list",
  says: "List scheduled turns",
  about: "The next one first. Without `user` an operator sees the agent's own and every user's.",
  route: "GET /agents/{agent}/schedules",
  command: "schedules [list]",
  examples: [["charter schedules", "list them, the next one first"]],
  who: "person",
  input: { agent: agent.optional(), user, ...page },
  answer: object({ schedules: list(schedule).told(), more }).named("ScheduleList", "The next one first."),
  run: async (context, { limit, offset, ...named }) => {
    const reach = await reachOf(context, named);
    const { rows, more } = await readPage((one) => context.store.schedules.list({ ...reach, ...one }), {
      limit,
      offset,
    });
    return { schedules: rows, more };
  },
  lines: ({ schedules }) => {
    if (schedules.length === 0)
      return [
        hintsHere(
          'Nothing is scheduled here. As in: charter schedules add --agent ada --user bo --cron "0 8 * * 1-5" "What is on today?"',
        ),
      ];
    const names = ["id", "agent", "user", "when", "next (UTC)", "last (UTC)", "title"];
    const at = (one: string | null) => (one === null ? "–" : timeText(one));
    const cells = schedules.map(({ id, scope, cron, zone, nextAt, lastAt, title }) => {
      const when = cron === null ? "once" : zone === null ? cron : `${cron} (${zone})`;
      return [id, scope.agent, scope.user ?? "–", when, at(nextAt), at(lastAt), title];
    });
    return columns(names, cells, process.stdout);
  },
});

const addSchedule = operation({
  name: "schedules.add",
  says: "Schedule a turn",
  about:
    "Once (`at`) or recurring (`cron`), in the user's time zone unless `zone` names another. The answer is sent to the user's linked chats and kept with the run.",
  route: "POST /agents/{agent}/schedules",
  command: "schedules add <input...>",
  examples: [
    'charter schedules add --agent ada --user bo --cron "0 8 * * 1-5" "Sum up my mail."',
    'charter schedules add --agent ada --user bo --at 2026-12-24T09:00 "Say happy birthday to Cy."',
  ],
  example: { title: "Morning digest", input: "Summarise my new mail.", cron: "0 8 * * 1-5" },
  notes: "Schedules run while charter start or charter work is running: docs/schedules.md",
  who: "person",
  input: {
    agent,
    user,
    input: input.says("The input of the turn."),
    title: title.says("Its title (default: the beginning of the input).").option("text").optional(),
    cron: text("Minute, hour, day, month and weekday; this, or `at`.").example("0 8 * * 1-5").option("line").optional(),
    at: text("Once, then: an ISO 8601 time.").example("2026-02-18T15:04:00Z").option("time").optional(),
    zone: text("The time zone it is read in (default: the user's own).").option("zone").optional(),
    missed: missed.optional(),
    overlap: overlap.optional(),
    maxTries: whole("How often a failing run is tried, 1 to 10 (default: 3).", { least: 1 }).option("n").optional(),
  },
  answer: object({ ...scheduleFields, notices: list(notice).told() }).named(
    "MadeSchedule",
    "A schedule, and what whoever set it should know.",
  ),
  statuses: { 201: "`nextAt` is the next time; `notices` warns if the answer could not be sent to anyone." },
  run: async (context, { agent, user, title, input, ...wanted }) => {
    const scope = await actingScopeFor(context, agent, user);
    const operator = context.caller.kind === "operator";
    const schedule = { ...defined(wanted), input, title: title ?? input.slice(0, 60), scope, operator };
    return (await context.host()).schedule(schedule);
  },
  lines: ({ title, nextAt, notices }, { agent, user }) => {
    const next = nextAt === null ? "never" : `${timeText(nextAt)} UTC`;
    const hint = `Link one with: charter users link ${user} --agent ${agent}`;
    return {
      out: [hintsHere(`“${title}” runs next ${next}, while charter start or charter work is running.`)],
      err: notices.map(({ message }) => hintsHere(`${message} ${hint}`)),
    };
  },
});

const cancelSchedule = operation({
  name: "schedules.cancel",
  says: "Cancel a schedule",
  about: "A run that has started is not stopped.",
  route: "DELETE /agents/{agent}/schedules/{id}",
  command: "schedules cancel <id>",
  examples: ["charter schedules cancel <id>"],
  who: "person",
  input: { agent: agent.optional(), id: text("The id of a schedule."), user },
  answer: object({ cancelled: text().told() }).named("CancelResult"),
  statuses: { 200: "The schedule is cancelled." },
  run: async (context, { agent, id, user }) => {
    const { schedules } = context.store;
    const scope = await reachOf(context, { agent, user });
    // An operator may cancel by id alone, without naming the owner.
    const isAnyones = context.caller.kind === "operator" && user === undefined;
    const owner = isAnyones ? (await schedules.get(id)).scope : undefined;
    const target = owner && (agent ?? owner.agent) === owner.agent ? owner : { agent: agent ?? "", ...scope };
    await schedules.cancel(target, id);
    return { cancelled: id };
  },
  lines: ({ cancelled }) => [`“${cancelled}” is cancelled.`],
});

const runState = oneOf(["waiting", "running", "answered", "quiet", "failed", "missed", "skipped"]);

const run = object({
  id: text().told(),
  scope: scope.told(),
  schedule: text().told(),
  title: text("The schedule's title; null where it is gone.").told().nullable(),
  dueAt: time().told(),
  state: runState.says("`quiet`: there was nothing to report.").told(),
  tries: whole().told(),
  nextTryAt: time().told().nullable(),
  turn: text().told().nullable(),
  reason: text().told().nullable(),
  startedAt: time().told().nullable(),
  endedAt: time().told().nullable(),
  reply: text("What came of it, where it was answered.").told().nullable(),
}).named("Run", "One run of a schedule, and its outcome.");

const listRuns = operation({
  name: "schedules.runs",
  says: "List the runs of schedules",
  about: "Newest first, with their answers.",
  route: "GET /agents/{agent}/runs",
  command: "schedules runs",
  examples: [["charter schedules runs", "list past and current runs, newest first"]],
  who: "person",
  input: {
    agent: agent.optional(),
    user,
    schedule: text("Only this schedule.").option("id").optional(),
    state: runState.says("Only runs in this state.").optional(),
    ...page,
  },
  answer: object({ runs: list(run).told(), more }).named("RunList", "Newest first."),
  run: async (context, { agent, user, limit, offset, ...only }) => {
    const { store, caller } = context;
    const about = { ...(await reachOf(context, { agent, user })), ...defined(only) };
    const { rows, more } = await readPage((one) => store.runs.list({ ...about, ...one }), { limit, offset });
    return { runs: await Promise.all(rows.map((one) => withReply(store, toldTo(caller, one)))), more };
  },
  lines: ({ runs }) => {
    if (runs.length === 0) return ["Nothing has run here yet."];
    const names = ["due (UTC)", "agent", "user", "schedule", "state", "tries", "turn", "reason"];
    return columns(names, runs.map(runCells), process.stdout);
  },
});

type ShownRun = (typeof run)["holds"];

function runCells({ dueAt, scope, state, tries, turn, reason, title, schedule }: ShownRun): string[] {
  const letters = [...(title ?? schedule)];
  const short = title !== null && letters.length > 20 ? `${letters.slice(0, 19).join("")}…` : (title ?? schedule);
  return [timeText(dueAt), scope.agent, scope.user ?? "–", short, state, String(tries), turn ?? "–", reason ?? "–"];
}

/** A run with its title and its reply, for readers who were not there. The machine it ran on is left out. */
async function withReply(store: Store, { runner: _, ...run }: Run) {
  const { title } = (await store.schedules.get(run.schedule).catch(ignoreUnknown)) ?? { title: null };
  if (run.state !== "answered" || run.turn === null) return { ...run, title, reply: null };
  const turn = await store.turns.get(run.turn, run.scope).catch(ignoreUnknown);
  return { ...run, title, reply: turn?.reply ?? null };
}

/**
 * States whose reasons are written for users. A failed turn's reason is for the operator: it may name the model, and its server.
 */
const plain: ReadonlySet<Run["state"]> = new Set(["quiet", "missed", "skipped"]);

function toldTo({ kind }: Pick<Caller, "kind">, run: Run): Run {
  return kind === "operator" || plain.has(run.state) ? run : { ...run, reason: null };
}

/** Ignores a turn or schedule that is no longer kept: the run is shown without it. */
function ignoreUnknown(error: unknown): undefined {
  if (!(error instanceof Problem) || !["unknown-turn", "unknown-schedule"].includes(error.code)) throw error;
}

export const operations = [listSchedules, addSchedule, cancelSchedule, listRuns];
