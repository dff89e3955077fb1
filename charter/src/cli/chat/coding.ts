import type { Workbench } from "../../charters/workbench.ts";
import { Problem } from "../../prompt/problem.ts";
import { extensionsNow, type Places } from "../../sources/trust.ts";
import type { Agent } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import { directoryOf, readsFiles } from "../agent.ts";
import { believedAgent } from "../believed.ts";
import { checkNoDirectory, type DirectoryValues } from "../options.ts";

const { resolve } = process.getBuiltinModule("node:path");

/** The workbench of a coding agent that reads files; other agents have none. */
export async function codingFor(
  known: Agent,
  store: Store,
  given: DirectoryValues,
  mayAsk: boolean,
): Promise<Workbench | undefined> {
  const agent = await believedAgent(known, store, given);
  const { home } = store;
  if (!readsFiles(agent)) {
    checkNoDirectory(given, `“${agent.name}” reads none`);
    return undefined;
  }
  const values = directoryOf(agent, given);
  const { isTrusted, placesOf, trustNotices, workbenchOf } = await import("../directory.ts");
  const places = placesOf(values);
  if (!mayAsk)
    for (const { code, message } of trustNotices(values, places)) process.stderr.write(`! ${code}: ${message}\n`);
  const once = mayAsk && !values["no-trust"] && !isTrusted(values, places) ? await asked(places) : undefined;
  const workbench = workbenchOf(values, {
    trusted: () => (once !== undefined && once === extensionsNow(places)) || isTrusted(values, places),
    // A database in the directory is the store's: nobody else reads or writes there.
    protected: home.place.includes("://") ? [] : [resolve(home.place)],
  });
  await checkReadable(workbench);
  return workbench;
}

async function asked(places: Places): Promise<string | undefined> {
  return (await import("./trust-question.ts")).askTrust(places);
}

/** An agent whose own prompt cannot be read does not start as another one. */
async function checkReadable({ project, base }: Workbench): Promise<void> {
  const turn = { now: new Date(0).toISOString(), tools: [], standing: {} };
  for (const source of [project.system, project.append]) {
    const reading = await source(turn);
    if (reading.status !== "unavailable") continue;
    throw new Problem(
      "prompt-unreadable",
      `The prompt of “${base.charter.name}” cannot be read: ${reading.reason}`,
      "Make the file readable, or take it away; charter files lists what is read.",
    );
  }
}
