import { needsFiles } from "../../agent/declaration.ts";
import type { DirectoryValues } from "../../operations/directory-fields.ts";
import type { CountedTurn } from "./load-agent.ts";
import { loadDeclaredTurn, type PromptValues } from "./load-declared-turn.ts";
import { checkNoDirectory, checkSides } from "./options.ts";
import type { RoomValues } from "./room.ts";

/** What was typed for a command that assembles a prompt. */
export type DeclaredTurnValues = PromptValues &
  DirectoryValues &
  RoomValues & {
    readonly [Name in "agent" | "user" | "channel" | "database"]?: string | undefined;
  } & { readonly timeLimit?: number | undefined };

/** What a command assembles: a charter and its facts, a directory, or an agent of the database, which is loaded only then. */
export async function declaredTurnFor(command: string, values: DeclaredTurnValues): Promise<CountedTurn> {
  checkSides(values);
  const { agent, input } = values;
  if (agent !== undefined) return (await import("./load-agent.ts")).agentDeclaredTurn({ ...values, agent });
  const given = await loadDeclaredTurn(command, values);
  if (input === undefined && needsFiles(given))
    return (await import("./directory-turn.ts")).givenOfDirectory(values, given);
  checkNoDirectory(values, given.withFiles ? "--input tells of another" : "this charter reads none");
  return given;
}
