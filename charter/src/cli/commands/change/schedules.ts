import { Problem } from "../../../prompt/problem.ts";
import type { Run } from "../../../store/schedules/run.ts";
import type { Schedule } from "../../../store/schedules/schedules.ts";
import { columns, timeText } from "../../print/columns.ts";
import { hintsHere } from "../../print/command-name.ts";
import { noMoreWords, parseOptions, requiredOption, wholeNumber } from "../../shared/options.ts";
import { morePages, pageOptions, pageValues, readPage } from "../../shared/page.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

const options = {
  ...storeOptions,
  ...pageOptions,
  agent: { type: "string", short: "a" },
  user: { type: "string", short: "u" },
  title: { type: "string" },
  cron: { type: "string" },
  at: { type: "string" },
  zone: { type: "string" },
  missed: { type: "string" },
  overlap: { type: "string" },
  "max-tries": { type: "string" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("schedules", args, options);
  const [verb = "list", ...words] = positionals;
  if (verb === "add" || verb === "create") return add(words.join(" "), values);
  noMoreWords("schedules", words.slice(verb === "cancel" ? 1 : 0));
  if (verb === "list") return list(values);
  if (verb === "runs") return runs(values);
  if (verb === "cancel") return cancel(words[0], values);
  throw new Problem(
    "usage",
    `charter schedules does not understand “${verb}”.`,
    "Say list, add, runs or cancel; see charter schedules --help.",
  );
}

const whose = ({ agent, user }: Values) => ({
  ...(agent === undefined ? {} : { agent }),
  ...(user === undefined ? {} : { user }),
});

async function list(values: Values): Promise<number> {
  const page = pageValues(values);
  return withStore(values, async (store) => {
    const { rows, more } = await readPage((asked) => store.schedules.list({ ...whose(values), ...asked }), page);
    if (values.json) process.stdout.write(`${JSON.stringify({ schedules: rows, more })}\n`);
    else if (rows.length === 0)
      process.stdout.write(
        hintsHere(
          'Nothing is scheduled here. As in: charter schedules add --agent ada --user bo --cron "0 8 * * 1-5" "What is on today?"\n',
        ),
      );
    else {
      const names = ["id", "agent", "user", "when", "next (UTC)", "last (UTC)", "title"];
      const lines = columns(names, rows.map(cells), process.stdout);
      process.stdout.write(`${[...lines, ...morePages(more, page)].join("\n")}\n`);
    }
    return 0;
  });
}

function cells({ id, scope, cron, zone, nextAt, lastAt, title }: Schedule): string[] {
  const when = cron === null ? "once" : zone === null ? cron : `${cron} (${zone})`;
  const time = (at: string | null) => (at === null ? "–" : timeText(at));
  return [id, scope.agent, scope.user ?? "–", when, time(nextAt), time(lastAt), title];
}

async function add(input: string, values: Values): Promise<number> {
  const agent = requiredOption("schedules add", "agent", values.agent);
  if (input.trim() === "")
    throw new Problem(
      "usage",
      "charter schedules add needs the input of the turn.",
      "Give it last, in quotes; see charter schedules --help.",
    );
  const { user, cron, at, zone, title = input.slice(0, 60) } = values;
  const maxTries = wholeNumber("max-tries", values["max-tries"]);
  return withStore(values, async (store) => {
    const { createSchedule } = await import("../../../schedules/schedule.ts");
    const asked = {
      scope: { agent, ...(user === undefined ? {} : { user }) },
      title,
      input,
      ...(cron === undefined ? {} : { cron }),
      ...(at === undefined ? {} : { at }),
      ...(zone === undefined ? {} : { zone }),
      ...(values.missed === undefined ? {} : { missed: values.missed as "once" }),
      ...(values.overlap === undefined ? {} : { overlap: values.overlap as "skip" }),
      ...(maxTries === undefined ? {} : { maxTries }),
    };
    const schedule = await createSchedule(asked, store, new Date());
    const next = schedule.nextAt === null ? "never" : `${timeText(schedule.nextAt)} UTC`;
    const told = hintsHere(`“${schedule.title}” runs next ${next}, while charter start or charter work is running.`);
    const { reachNotices } = await import("../../../schedules/reach.ts");
    const notices = await reachNotices(store, schedule.scope);
    process.stdout.write(`${values.json ? JSON.stringify({ ...schedule, notices }) : told}\n`);
    const hint = hintsHere(`Link one with: charter users link ${user} --agent ${agent}`);
    if (!values.json) for (const { message } of notices) process.stderr.write(`${message} ${hint}\n`);
    return 0;
  });
}

async function cancel(id: string | undefined, values: Values): Promise<number> {
  if (id === undefined)
    throw new Problem(
      "usage",
      "charter schedules cancel needs the id of a schedule.",
      "List them with charter schedules.",
    );
  return withStore(values, async (store) => {
    const { scope } = await store.schedules.get(id);
    await store.schedules.cancel(scope, id);
    process.stdout.write(values.json ? `${JSON.stringify({ cancelled: id })}\n` : `“${id}” is cancelled.\n`);
    return 0;
  });
}

async function runs(values: Values): Promise<number> {
  const page = pageValues(values);
  return withStore(values, async (store) => {
    const { rows, more } = await readPage((asked) => store.runs.list({ ...whose(values), ...asked }), page);
    if (values.json) process.stdout.write(`${JSON.stringify({ runs: rows, more })}\n`);
    else if (rows.length === 0) process.stdout.write("Nothing has run here yet.\n");
    else {
      const names = ["due (UTC)", "agent", "user", "schedule", "state", "tries", "turn", "reason"];
      const titles = new Map<string, string>();
      for (const id of new Set(rows.map(({ schedule }) => schedule)))
        titles.set(
          id,
          await store.schedules.get(id).then(
            ({ title }) => shortened(title),
            () => id,
          ),
        );
      const cells = rows.map((run) => runCells(run, titles.get(run.schedule) ?? run.schedule));
      const lines = columns(names, cells, process.stdout);
      process.stdout.write(`${[...lines, ...morePages(more, page)].join("\n")}\n`);
    }
    return 0;
  });
}

function runCells({ dueAt, scope, state, tries, turn, reason }: Run, title: string): string[] {
  const [user, count] = [scope.user ?? "–", String(tries)];
  return [timeText(dueAt), scope.agent, user, title, state, count, turn ?? "–", reason ?? "–"];
}

function shortened(title: string): string {
  const letters = [...title];
  return letters.length > 20 ? `${letters.slice(0, 19).join("")}…` : title;
}
