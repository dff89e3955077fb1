import { needsFiles } from "../../agent/declaration.ts";
import type { DeclaredTurn } from "../../charters/declared-turn.ts";
import { factsOf } from "../../charters/facts.ts";
import { builtInNames } from "../../host/built-in.ts";
import { compareLock, isFoundByName, loadCharter } from "../../host/load.ts";
import type { DirectoryValues } from "../../operations/field.ts";
import type { TypedInput } from "../../operations/only-one.ts";
import { defined } from "../../prompt/argument.ts";
import { eitherOf, listed, Problem } from "../../prompt/problem.ts";
import { readJson } from "../../sources/input-file.ts";
import type { CountedTurn } from "./host.ts";
import { agentOptions, checkNoDirectory, checkSides, type RoomValues } from "./prompt-options.ts";
import type { StoreValues } from "./store.ts";
import { createHere } from "./trust/here.ts";

/** Options of how a command assembles a prompt. */
export type PromptOptions = RoomValues & { readonly timeLimit?: number | undefined };

type DeclaredTurnValues = PromptValues &
  DirectoryValues & {
    readonly [Name in "agent" | "user" | "channel" | "database" | "charter"]?: string | undefined;
  };

/**
 * Declares the turn a command assembles: from a charter and its facts, from a directory, or from an agent of the database, which
 * is loaded only then. Where none of them is named it is the only agent there is, or else the only charter of the configuration.
 */
export async function declaredTurnFor(typed: TypedInput & StoreValues): Promise<CountedTurn> {
  const values: DeclaredTurnValues = { ...typed.input, ...defined({ database: typed.database }) };
  checkSides(values);
  if (values.charter !== undefined) return charterDeclaredTurn(values, values.charter);
  try {
    return await (await import("./host.ts")).agentDeclaredTurn(values, typed);
  } catch (error) {
    const isNone = error instanceof Problem && ["no-database", "unknown-agent"].includes(error.code);
    if (!isNone || agentOptions.some((name) => values[name] !== undefined)) throw error;
    return charterDeclaredTurn(values, await onlyCharter());
  }
}

/** Returns the name of the only charter of the configuration here. */
async function onlyCharter(): Promise<string> {
  const [only, ...others] = Object.keys((await createHere().setting("charters")) ?? {});
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw new Problem(
      "usage",
      `Which charter? charter.config.ts has ${listed([only, ...others])}.`,
      "Say --charter and its name.",
    );
  throw new Problem(
    "usage",
    "There is no agent here, and no charter was named.",
    `Make an agent: charter agents add ada --charter assistant. Or name a charter with --charter: ${eitherOf([...builtInNames, "a file", "a folder"])}.`,
  );
}

async function charterDeclaredTurn(values: DeclaredTurnValues, charter: string): Promise<CountedTurn> {
  const { input } = values;
  const declaredTurn = await loadDeclaredTurn({ ...values, charter });
  if (input === undefined && needsFiles(declaredTurn))
    return (await import("./directory.ts")).givenOfDirectory(values, declaredTurn);
  checkNoDirectory(values, declaredTurn.withFiles ? "--input tells of another" : "this charter reads none");
  return declaredTurn;
}

type PromptValues = {
  readonly input?: string | undefined;
  readonly lock?: string | undefined;
};

/** Loads charter and facts, and checks the lock. */
export async function loadDeclaredTurn(values: PromptValues & { readonly charter: string }): Promise<DeclaredTurn> {
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
