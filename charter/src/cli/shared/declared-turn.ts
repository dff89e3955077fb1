import { needsFiles } from "../../agent/declaration.ts";
import type { DeclaredTurn } from "../../charters/declared-turn.ts";
import { factsOf } from "../../charters/facts.ts";
import { builtInNames } from "../../host/built-in.ts";
import { compareLock, isFoundByName, loadCharter } from "../../host/load.ts";
import type { DirectoryValues } from "../../operations/field.ts";
import { Problem } from "../../prompt/problem.ts";
import { readJson } from "../../sources/input-file.ts";
import type { CountedTurn } from "./host.ts";
import { checkNoDirectory, checkSides, type RoomValues } from "./prompt-options.ts";
import { createHere } from "./trust/here.ts";

/** Options of a command that assembles a prompt. */
export type DeclaredTurnValues = PromptValues &
  DirectoryValues &
  RoomValues & {
    readonly [Name in "agent" | "user" | "channel" | "database"]?: string | undefined;
  } & { readonly timeLimit?: number | undefined };

/**
 * Declares the turn a command assembles: from a charter and its facts, from a directory, or from an agent of the database, which
 * is loaded only then.
 */
export async function declaredTurnFor(command: string, values: DeclaredTurnValues): Promise<CountedTurn> {
  checkSides(values);
  const { agent, input } = values;
  if (agent !== undefined) return (await import("./host.ts")).agentDeclaredTurn({ ...values, agent });
  const declaredTurn = await loadDeclaredTurn(command, values);
  if (input === undefined && needsFiles(declaredTurn))
    return (await import("./directory.ts")).givenOfDirectory(values, declaredTurn);
  checkNoDirectory(values, declaredTurn.withFiles ? "--input tells of another" : "this charter reads none");
  return declaredTurn;
}

type PromptValues = {
  readonly charter?: string | undefined;
  readonly input?: string | undefined;
  readonly lock?: string | undefined;
};

/** Loads charter and facts, and checks the lock. */
export async function loadDeclaredTurn(command: string, values: PromptValues): Promise<DeclaredTurn> {
  if (!values.charter)
    throw new Problem(
      "usage",
      `charter ${command} needs --charter.`,
      `Name ${builtInNames.join(", ")}, one of charter.config.ts, a file or a folder; or an agent of the database with --agent. See charter ${command} --help.`,
    );
  const here = createHere();
  const charters = isFoundByName(values.charter) ? {} : await here.setting("charters");
  const places = { charters, sources: here.sources, lock: values.lock };
  const { given: fromFacts } = await loadCharter(values.charter, places);
  const facts = factsOf(values.input === undefined ? {} : readJson(values.input, "facts file"));
  const declaredTurn = await fromFacts(facts, () => new Date());
  await compareLock(
    { charter: declaredTurn.charter, from: values.charter },
    values.lock ?? "charter.lock",
    values.lock !== undefined,
  );
  return declaredTurn;
}
