import { sourceTimeout } from "../../agent/limits.ts";
import { amend, type StandingText } from "../../amend/amend.ts";
import type { DeclaredTurn } from "../../charters/declared-turn.ts";
import { outcomeAnswer } from "../../operations/print/verdict.ts";
import { changeOf } from "../../operations/sections/amend.ts";
import { type Edition, findSection } from "../../prompt/charter.ts";
import { gather } from "../../prompt/gather.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Actor } from "../../prompt/section.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { printAnswer, runDeclared } from "../command/perform.ts";
import { loadDeclaredTurn } from "../shared/declared-turn.ts";
import { checkSides, roomOf } from "../shared/prompt-options.ts";

type AmendInput = Parameters<typeof changeOf>[0] &
  Partial<Parameters<typeof loadDeclaredTurn>[0]> & {
    readonly section: string;
    readonly agent?: string;
    readonly dryRun?: boolean;
    readonly quote?: boolean;
    readonly actor?: Actor;
    readonly reason?: string;
    readonly revision?: number;
    readonly edition?: Edition;
    readonly timeLimit?: number;
  };

/** Changes a section of an agent. With a charter and its facts alone the change is only judged, and nothing is stored. */
export async function run(parsed: ParsedCommand): Promise<number> {
  const input = parsed.input as AmendInput;
  checkSides({ ...input, database: parsed.database });
  const change = changeOf(input);
  const { charter } = input;
  if (charter === undefined) return runDeclared(parsed);
  if (input.quote)
    throw new Problem("usage", "--quote needs --agent.", "What a change costs depends on the agent's session.");
  if (!input.dryRun)
    throw new Problem(
      "no-store",
      "An amendment has to be stored in a database, and none was named.",
      "Name an agent of the database with --agent, or add --dry-run to only check the change.",
    );
  const declaredTurn = await loadDeclaredTurn({ ...input, charter });
  const { section } = findSection(declaredTurn.charter, input.section);
  const limits = await roomOf(declaredTurn, input, false);
  const readings = await gather(declaredTurn.charter, declaredTurn.turn, sourceTimeout(input.timeLimit ?? 10));
  const { actor = "agent", revision, reason } = input;
  const verdict = amend(
    declaredTurn.charter,
    standingText(declaredTurn, section.name),
    {
      ...{ section: section.name, operation: change, actor },
      ...(revision === undefined ? {} : { revision }),
      ...(reason === undefined ? {} : { reason }),
    },
    (await declaredTurn.rules())(section.name, readings, limits),
    declaredTurn.turnFacts,
  );
  const about = { scope: { agent: "" }, section: section.name };
  const snapshot = async () => ({ declaredTurn });
  return printAnswer(parsed, await outcomeAnswer({ snapshot }, about, verdict, revision));
}

function standingText({ charter, turn }: DeclaredTurn, name: string): StandingText {
  const { section } = findSection(charter, name);
  const original = section.original ?? section.words ?? "";
  const standing = turn.standing[name];
  if (standing && "text" in standing) return { original, text: standing.text, revision: standing.revision };
  return { original, text: original, revision: 0 };
}
