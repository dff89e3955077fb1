import { defined } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import { userNamed } from "../caller.ts";
import { agent, anything, counterpart, flag, list, object, record, text, time, whole } from "../field.ts";
import { type Output, operation } from "../operation.ts";
import { colours, columns, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";

/** Owner of the data: a user, or a sender to an agent's inbox. */
const ownerFields = {
  user: text("The user's id.").example("bo").option("id", "u").optional(),
  counterpart,
  agent: agent.says("Only with this agent.").optional(),
};

/** Returns the owner of the data, who has to be named. */
export function personNamed(named: Parameters<typeof userNamed>[0]): string {
  const user = userNamed(named);
  if (user !== undefined && user !== "") return user;
  throw new Problem("usage", "It was not said whose data is meant.", "Say --user and an id, or --counterpart.");
}

const exportUser = operation({
  name: "users.export",
  says: "Export all data about one user or counterpart",
  route: "GET /users/{user}/export",
  command: "export",
  examples: [
    "charter export --user bo -o bo.json",
    "charter export --user bo --agent ada | jq '.agents[0].turns[].input'",
  ],
  notes:
    "Contains texts with their history, notes, conversations, messages, turns with the prompts that were sent, sessions, schedules, events and proposals waiting for approval. --json prints it on one line, and with -o what was written. Exit code 1: there is no data.",
  who: "operator",
  input: {
    ...ownerFields,
    output: text("Write to a file that only you can read.").option("file", "o").only("command").optional(),
  },
  answer: record(anything()),
  statuses: { 200: "Everything, as JSON." },
  run: async ({ store }, { agent, ...named }) => ({
    ...(await store.export({ user: personNamed(named), ...defined({ agent }) })),
  }),
});

const sharedRevision = object({
  agent: text(),
  section: text(),
  revision: whole(),
  at: time(),
  user: text(),
  turn: text().nullable(),
  approved: flag("A person approved it."),
  stands: flag("Some of its text is in the current text, which every user is sent."),
  kept: flag("Its text is in the section's history."),
  sentSince: whole(
    "Kept requests of others since: their receipts may hold its words, until `charter retain` lets them go.",
  ),
  because: text("Why words of it could not be taken out.").optional(),
}).named("SharedRevision", "A revision of text that all users read, and that came of one user's turn.");

const eraseResult = object({
  user: text(),
  erased: flag("False when nothing was kept about them, or a command only looked."),
  agents: list(text()),
  rows: record(whole()).example({ memories: 3, turns: 12 }),
  shared: list(sharedRevision, "What came of their turns in text that all users read."),
  directories: list(text(), "Directories of agents over ACP on this machine, which are gone as well."),
  scrubbed: flag("The text is gone from the database's files as well; left out where nothing was erased.").optional(),
}).named("EraseResult", "What was erased, by table.");
type EraseResult = (typeof eraseResult)["holds"];

const eraseUser = operation({
  name: "users.erase",
  says: "Erase a user",
  about:
    "All text of the user is deleted and cannot be restored. The history still shows that something happened. Directories that agents over ACP have for them on this machine are removed, and their processes end.",
  route: "DELETE /users/{user}",
  command: "erase",
  examples: [
    ["charter erase --user bo", "print what would be erased, change nothing (exit code 1)"],
    "charter erase --user bo --yes",
    ["charter erase --user bo --agent ada --yes", "only the data with one agent"],
    ["charter erase --user bo --shared --yes", "also what came of their turns in text that all users read"],
  ],
  notes:
    "The text is removed, also from the free pages and the log of a SQLite file. The history still verifies: it shows that something was amended or sent, by whom, and when it was erased. The user's next prompt starts from the original texts. Checkpoints saved earlier still contain the data: delete them.\nText that all users read is listed where it came of the user's turns, and stays; --shared takes it out as an amendment of the operator, erases the history of that text, and sessions that hold it begin anew. Receipts of other users' requests keep it until charter retain lets them go.",
  who: "operator",
  input: {
    ...ownerFields,
    shared: flag("Also take what came of their turns out of text that all users read, with its history.").optional(),
    yes: flag("Really erase it.").only("command").optional(),
  },
  answer: eraseResult,
  statuses: { 200: "What was erased." },
  run: async ({ host, caller }, { yes, agent, shared, ...named }) => {
    const who = { user: personNamed(named), ...defined({ agent }) };
    const { erase, erasable } = await host();
    const isReal = yes || caller.by !== "command";
    const result = await (isReal ? erase({ ...who, shared }) : erasable(who));
    const isTaken = shared === true && result.shared.length > 0;
    return { user: who.user, erased: isReal && (isTaken || isSomething(result)), ...result };
  },
  lines: (answer, { counterpart = answer.user }) => linesOf(answer, counterpart),
});

function isSomething({ rows, directories }: Pick<EraseResult, "rows" | "directories">): boolean {
  return Object.keys(rows).length + directories.length > 0;
}

/** Says of each shared revision where words of it still are. */
function sharedLines(shared: EraseResult["shared"]): string[] {
  if (shared.length === 0) return [];
  const places = ({ stands, kept, sentSince, because }: EraseResult["shared"][number]) => [
    ...(stands ? [`in the current text, which every user is sent${because === undefined ? "" : ` (${because})`}`] : []),
    ...(kept ? ["in the section's history"] : []),
    ...(sentSince > 0 ? [`perhaps in receipts of ${sentSince} requests, until charter retain lets them go`] : []),
  ];
  return [
    "",
    "Text that all users read, and that came of their turns:",
    ...shared.map((one) => {
      const where = places(one).join("; ") || "its words are nowhere any more";
      return `  “${one.section}” of ${one.agent}, revision ${one.revision}, ${timeText(one.at)} UTC: ${where}`;
    }),
    ...(shared.some(({ stands, kept }) => stands || kept)
      ? [hintsHere("To take it out, say the same with --shared --yes.")]
      : []),
  ];
}

/** Descriptions for tables whose rows are emptied, not deleted; the rows of all others are deleted. */
const fates: Readonly<Record<string, string>> = {
  amendments: "words erased, digests stay",
  standings: "words erased, the last digest stays",
  steps: "what was sent erased, digests stay",
  turns: "input and reply erased",
  events: "details erased",
};

const onChain =
  "What was posted or replied on a chain stays there for everyone to read: no one can erase a transaction.";
const notScrubbed =
  "Another process still reads the database, so erased text may still be in its log. When that process is done, run this again.";

function linesOf(answer: EraseResult, user: string): Output {
  const { erased, agents, rows, directories, shared, scrubbed } = answer;
  const err = scrubbed === false ? [notScrubbed] : [];
  const others = sharedLines(shared);
  if (!erased && !isSomething(answer)) return { out: [`Nothing is kept about “${user}”.`, ...others], err, code: 1 };
  const tables = Object.entries(rows).map(([table, count]) => [table, String(count), fates[table] ?? "deleted"]);
  const cells = [...tables, ...directories.map((path) => [path, "", "directory removed"])];
  const whom = agents.length === 0 ? "" : ` with ${agents.join(", ")}`;
  const out = [
    erased
      ? `${colours(process.stdout).green("erased")} “${user}”${whom}`
      : `This would be erased of “${user}”${whom}:`,
    ...columns(["what", "rows", "becomes"], cells, process.stdout),
    ...(rows.chain_messages === undefined ? [] : [onChain]),
    ...others,
    ...(erased
      ? []
      : [hintsHere("It cannot be undone. To do it, say the same with --yes; charter export saves it first.")]),
  ];
  return { out, err, code: erased ? 0 : 1 };
}

export const operations = [exportUser, eraseUser];
