import { columns, oneLine, timeText } from "../../operations/print/columns.ts";
import { preview } from "../../prompt/character.ts";
import { counted, grouped, Problem } from "../../prompt/problem.ts";
import type { SessionOverview } from "../../store/turns/sessions.ts";
import type { Screen } from "../terminal/screen.ts";
import type { SlashCommand } from "../terminal/slash-command.ts";
import { output } from "./output.ts";
import type { Talk } from "./talk.ts";

/** So many of the newest sessions can be gone back to. */
const shown = 20;

/** What can be done with the conversation itself. */
export function sessionCommands(talk: Talk, screen: Screen): readonly SlashCommand[] {
  return [
    {
      name: "new",
      summary: "start a new session, without the history so far",
      run: async () => {
        talk.useSession("new");
        return ["The next turn begins a new session."];
      },
    },
    {
      name: "compact",
      usage: "[what to keep above all]",
      summary: "summarise the history now, and continue from the summary",
      run: async (words) => {
        const { before, after } = await talk.compact(words);
        return [
          `The history was summarised: ${counted(before, "token")} became ${grouped(after)}. The next turn continues from the summary.`,
        ];
      },
    },
    {
      name: "resume",
      usage: "[number or id]",
      summary: "list earlier sessions, or go back to one",
      run: async (words) => {
        const sessions = await talk.sessions(shown);
        if (words === "") return listLines(sessions, talk, screen);
        const wanted = findWanted(sessions, words);
        talk.useSession(wanted.id);
        return [`The next turn goes on with ${wanted.id}: ${firstWords(wanted)}`];
      },
    },
  ];
}

function listLines(sessions: readonly SessionOverview[], talk: Talk, screen: Screen): string[] {
  if (sessions.length === 0) return ["There is no earlier session."];
  const rows = sessions.map((one, index) => [
    `${index + 1}${one.id === talk.session() ? " *" : ""}`,
    timeText(one.lastAt),
    one.channel ?? "any",
    String(one.turns),
    firstWords(one),
  ]);
  const table = columns(["", "last (UTC)", "channel", "turns", "first words"], rows, output(screen));
  return [...table, screen.paint.dim("Go back to one with /resume and its number.")];
}

function findWanted(sessions: readonly SessionOverview[], words: string): SessionOverview {
  const found = sessions.find(({ id }, index) => id === words || String(index + 1) === words);
  if (found) return found;
  throw new Problem(
    "usage",
    `There is no session “${preview(words, 60)}” to go back to.`,
    "List them with /resume, and give a number of the list, or an id.",
  );
}

function firstWords({ firstInput }: SessionOverview): string {
  return firstInput === null ? "–" : preview(oneLine(firstInput), 60);
}
