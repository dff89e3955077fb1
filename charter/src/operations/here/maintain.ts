import { counted, Problem } from "../../prompt/problem.ts";
import {
  agent,
  either,
  flag,
  list,
  object,
  oneOf,
  openObject,
  record,
  text,
  time,
  type ValuesOf,
  whole,
} from "../field.ts";
import { operation } from "../operation.ts";
import { colours, sizeText } from "../print/columns.ts";

const lock = text("The lock file (default: charter.lock).").option("file").optional();
const difference = object({ charter: text(), section: text(), what: oneOf(["changed", "added", "removed"]) });

const verify = operation({
  name: "here.verify",
  says: "Verify the fixed texts and the database",
  command: "verify",
  examples: [
    ["charter verify", "the fixed texts against charter.lock, and the database if there is one"],
    ["charter verify --agent ada", "only this agent's history"],
  ],
  notes:
    "A fixed text that differs from its lock is an error (exit code 2) that names the section. In the database every amendment, receipt and text is verified: each that was edited, is missing or was moved is printed (exit code 1), also whole tables, as long as other rows refer to them.",
  who: "operator",
  input: {
    lock,
    charter: list(text(), "A charter of your own that the lock names: it is run, trusted or not.")
      .option("file", "c")
      .optional(),
    agent: agent.says("Only this agent.").optional(),
  },
  answer: object({
    verified: flag(),
    charters: whole(),
    fixed: whole("How many fixed sections are as they were locked."),
    lock: object({ path: text(), charters: whole(), fixed: whole() }).nullable().optional(),
    store: openObject({ database: text() }, "What was found in the database, where there is one.").optional(),
  }),
});

const doctor = operation({
  name: "here.doctor",
  says: "Find problems, and what to do about them",
  command: "doctor",
  examples: ["charter doctor", ["charter doctor --models", "also asks every model for one word"]],
  notes: `Checks Node, the lock, the charters that it pins, the database and its contents: texts that are not used, proposals and tool calls waiting for approval, frozen agents, schedules that are overdue or failed, messages that could not be answered or sent.
Exit code 0: no problems. 1: something needs attention.`,
  who: "operator",
  input: {
    models: flag(
      "Asks each model (of charter.config.ts, models.json, the agents, and the usual one) for one word, which costs a word each, and tells what is wrong with its key, name, window or address.",
    ).optional(),
  },
  answer: object({ fine: flag(), checks: list(object({ what: text(), fine: flag(), hint: text().optional() })) }),
});

const migrate = operation({
  name: "here.migrate",
  says: "Bring the database schema up to date",
  command: "migrate",
  examples: [
    ["charter migrate", "creates the database if there is none"],
    "charter migrate -d postgres://charter@db.example.org/charter",
    ["charter migrate --rebuild", "a search or a list tells something else than the turn does"],
  ],
  notes:
    "A file is copied beside itself first, and nobody else may have it open. On PostgreSQL, rights, policies and triggers that differ are put right each time. A database of a newer Charter is not changed, nor one from before the first release. What notes and turns are searched and listed by (words, sums, durations) follows from other rows, and verify does not prove it: --rebuild makes it anew.",
  who: "operator",
  input: { rebuild: flag("Makes anew what notes and turns are searched and listed by.").optional() },
  answer: object({
    database: text(),
    from: whole("The schema it had; 0 where there was none."),
    to: whole(),
    copy: text("The file as it was before, where it is one.").optional(),
    notes: whole("Notes whose search was rebuilt.").optional(),
    turns: whole("Turns whose search and sums were rebuilt.").optional(),
  }),
});

const file = text("A file.").example("today.checkpoint");
const content = text("The digest of its content alone: two databases with the same data have the same.");
const checkpointNotes =
  "Checkpoints move between SQLite and PostgreSQL; prompts and history stay the same to the byte. Restoring is atomic: a file that is damaged, truncated, of another kind or from a newer Charter changes nothing. Two databases with the same data have the same “content”. Exit code 1: saved, but some texts were missing from the database.";

const save = operation({
  name: "checkpoint.save",
  says: "Save the database to one file",
  command: "checkpoint save <file>",
  examples: [
    ["charter checkpoint save today.checkpoint", "the whole database, as of now"],
    ["charter checkpoint save ada.checkpoint --agent ada", "only this agent, and its users"],
  ],
  notes: checkpointNotes,
  who: "operator",
  input: {
    file,
    agent: agent.says("Only this agent; API tokens are saved only with the whole database.").optional(),
    force: flag("Overwrite a file that is not a checkpoint.").optional(),
  },
  answer: object({
    ...{ file, agents: list(text()), rows: whole("Rows and texts together."), digest: text(), content, bytes: whole() },
    lost: list(object({ owner: text(), digest: text() }), "Texts that are missing from the database."),
  }),
});

const inspect = operation({
  name: "checkpoint.inspect",
  says: "Verify a checkpoint, and print what it contains",
  command: "checkpoint inspect <file>",
  examples: [["charter checkpoint inspect today.checkpoint", "verify the file and print what it contains"]],
  usualOptions: { database: false },
  who: "operator",
  input: { file },
  answer: object({
    file,
    "charter-checkpoint": whole(),
    schema: whole(),
    madeAt: time(),
    agents: list(text()),
    from: oneOf(["sqlite", "postgres"]),
    ...{ rows: whole(), digest: text(), content, tables: record(whole(), "How many lines there are of each table.") },
  }),
});

const restore = operation({
  name: "checkpoint.restore",
  says: "Restore a checkpoint",
  command: "checkpoint restore <file>",
  examples: ["charter checkpoint restore today.checkpoint --database new.db"],
  notes: checkpointNotes,
  who: "operator",
  input: { file, replace: flag("Replace agents that exist already, with all their data.").optional() },
  answer: object({ file, agents: list(text()), rows: whole(), content }),
});

const importOld = operation({
  name: "here.import",
  says: "Import an older database",
  command: "import supabase",
  examples: [
    "charter import supabase --from postgres://user:password@host:5432/postgres --dry-run",
    "charter import supabase --from postgres://… --agent assistant --report import.json",
  ],
  notes:
    "Each agent becomes an assistant with its soul and identity as original texts; unknown columns are kept in its settings. A user's active rows become one amendment of their instructions, highest priority first. The import can be repeated: what is unchanged stays, what changed in the old database is amended here, unless it was amended here since. Text that a guard refuses waits for approval. Exit code 1: something waits for approval, conflicts, or was not imported.",
  usualOptions: { json: "print the same report to standard output" },
  who: "operator",
  input: {
    from: text(
      "The old database: tables agent_configurations and user_agent_prompt_customizations, original or migrated to soul, identity and instructions; it is only read, in one snapshot.",
    ).option("url"),
    agent: list(text(), "Only this agent.").option("name", "a").optional(),
    dryRun: flag("Print what would be imported, change nothing.").optional(),
    report: text("Write the full report as JSON, with every row that was not imported.").option("file").optional(),
  },
  answer: openObject({ from: text(), to: text(), dryRun: flag() }),
});

const days = (says: string) => whole(says, { least: 0 }).option("days").optional();

const retain = operation({
  name: "here.retain",
  says: "Delete old receipts, events and deliveries",
  command: "retain",
  examples: ["charter retain --receipts 90 --events 30", "charter retain --receipts 90 --dry-run"],
  notes: "Texts that no amendment and no receipt refers to any more are deleted, and the disk space is freed.",
  who: "operator",
  input: {
    receipts: days("Delete what was sent in older steps; the history still verifies."),
    events: days("Delete older events."),
    attachments: days("Delete the bytes of older pictures and files; name, kind and size stay known."),
    deliveries: days(
      "Delete older messages of channels that are done, sent or given up, and ended runs (received messages after two days at the earliest: a channel may send them again).",
    ),
    dryRun: flag("Print what would be deleted, change nothing.").optional(),
  },
  answer: object({
    ...{ receipts: whole(), events: whole(), deliveries: whole(), attachments: whole(), texts: whole() },
    ...{ bytes: whole(), dryRun: flag() },
  }),
  run: async ({ store }, { dryRun = false, ...retention }) => {
    if (Object.values(retention).every((kept) => kept === undefined))
      throw new Problem(
        "usage",
        "charter retain needs --receipts, --events, --deliveries or --attachments.",
        "Give days, as in --receipts 90 --events 30. See charter retain --help.",
      );
    return { ...(await store.retain(retention, { dryRun })), dryRun };
  },
  lines: ({ receipts, events, deliveries, attachments, texts, bytes, dryRun }) => {
    const counts = [
      counted(receipts, "receipt"),
      counted(events, "event"),
      counted(deliveries, "delivery", "deliveries"),
      ...(attachments > 0 ? [counted(attachments, "attachment")] : []),
    ];
    const what = `${counts.join(", ")} and ${counted(texts, "text")}, ${sizeText(bytes)}`;
    if (dryRun) return [`This would be deleted: ${what}. Nothing was changed.`];
    return [`${colours(process.stdout).green("deleted")} ${what}. The history still verifies.`];
  },
});

const lockTexts = operation({
  name: "here.lock",
  says: "Pin the fixed texts in charter.lock",
  command: "lock",
  examples: [
    ["charter lock", "write charter.lock for the built-in charters and the project's own"],
    ["charter lock --charter ./agent.ts", "add a charter of your own"],
    ["charter lock --charter tally", "add one that charter.config.ts gives by name"],
    ["charter lock --diff", "show what changed since it was written (exit code 1: something did)"],
  ],
  usualOptions: { database: false },
  who: "operator",
  input: {
    lock,
    charter: list(text(), "A charter of your own: its file, or its name in charter.config.ts.")
      .option("name|file", "c")
      .optional(),
    diff: flag("Only show what changed; write nothing.").optional(),
  },
  answer: either(
    object({ lock: text(), charters: whole(), fixed: whole(), differences: list(difference) }),
    object({ differences: list(difference) }),
  ),
});

const init = operation({
  name: "here.init",
  says: "Make a charter: a folder of Markdown",
  command: "init <folder>",
  examples: [
    ["charter init tally", "a folder to begin with"],
    [
      "charter init tally --from system_prompt.txt",
      "of a prompt you have: a fixed section for each of its highest headings",
    ],
  ],
  notes:
    "The sections together are the text to the letter. Everything is fixed at first: move a section to another layer of charter.yaml to let an agent change it (docs/charter-folder.md). A folder with something in it is never written to.",
  usualOptions: { database: false },
  who: "operator",
  input: {
    folder: text("The folder, and the charter's name.").example("tally"),
    from: text("A text to make it of: a system prompt, or a CLAUDE.md; `-` is standard input.")
      .option("file")
      .optional(),
  },
  answer: object({
    folder: text(),
    charter: text(),
    sections: list(object({ file: text(), section: text(), mutability: text(), chars: whole() })),
  }),
});

export type VerifyInput = ValuesOf<typeof verify.input>;
export type ImportInput = ValuesOf<typeof importOld.input>;
export type InitInput = ValuesOf<typeof init.input>;
export type LockInput = ValuesOf<typeof lockTexts.input>;

export const operations = [verify, doctor, migrate, save, inspect, restore, importOld, retain, lockTexts, init];
