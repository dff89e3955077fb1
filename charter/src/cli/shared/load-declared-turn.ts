import type { DeclaredTurn } from "../../charters/declared-turn.ts";
import { factsOf } from "../../charters/facts.ts";
import { builtInNames } from "../../host/built-in.ts";
import { isFoundByName, loadCharter } from "../../host/load.ts";
import { compareLock } from "../../host/lock-file.ts";
import { Problem } from "../../prompt/problem.ts";
import { readJson } from "../../sources/input-file.ts";
import { createHere } from "./trust/here.ts";

export type PromptValues = {
  readonly charter?: string | undefined;
  readonly input?: string | undefined;
  readonly lock?: string | undefined;
};

/** Charter and facts, with the lock looked at: what every command starts from. */
export async function loadDeclaredTurn(command: string, values: PromptValues): Promise<DeclaredTurn> {
  if (!values.charter)
    throw new Problem(
      "usage",
      `charter ${command} needs --charter.`,
      `Name ${builtInNames.join(", ")}, one of charter.config.ts, or a file; or an agent of the database with --agent. See charter ${command} --help.`,
    );
  const charters = isFoundByName(values.charter) ? {} : await createHere().setting("charters");
  const { given: fromFacts } = await loadCharter(values.charter, charters);
  const facts = factsOf(values.input === undefined ? {} : readJson(values.input, "facts file"));
  const given = await fromFacts(facts, () => new Date());
  await compareLock(
    { charter: given.charter, from: values.charter },
    values.lock ?? "charter.lock",
    values.lock !== undefined,
  );
  return given;
}
