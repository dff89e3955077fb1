import type { Declaration } from "../../agent/declaration.ts";
import { quietTurn } from "../../amend/guard.ts";
import { localZone } from "../../charters/clock.ts";
import type { DeclaredTurn } from "../../charters/declared-turn.ts";
import type { DirectoryValues } from "../../operations/directory-fields.ts";
import type { ToolLine } from "../../prompt/reading.ts";
import { placesOf, trustNotices, workbenchOf } from "./directory.ts";

/** What an agent that needs files would be given in that directory now, to look at. */
export async function givenOfDirectory(values: DirectoryValues, declaration: Declaration): Promise<DeclaredTurn> {
  const workbench = workbenchOf(values, { declaration });
  const given = declaredTurnNow(workbench.base, localZone(), await workbench.lines());
  const notices = [...(workbench.trusted ? [] : trustNotices(values, placesOf(values))), ...workbench.faults()];
  workbench.close();
  return { ...given, notices };
}

export function declaredTurnNow(declaration: Declaration, zone: string, tools: readonly ToolLine[] = []): DeclaredTurn {
  const turn = { now: new Date().toISOString(), zone, tools, standing: {} };
  return { ...declaration, turn, turnFacts: quietTurn, notices: [] };
}
