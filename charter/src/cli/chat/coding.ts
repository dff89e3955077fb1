import { needsFiles } from "../../agent/declaration.ts";
import type { FileAccess } from "../../agent/workspace/files.ts";
import type { HostPlace } from "../../host/host-options.ts";
import type { Workbench } from "../../host/workbench.ts";
import type { DirectoryValues } from "../../operations/directory-fields.ts";
import { Problem } from "../../prompt/problem.ts";
import { projectFingerprint, projectTrust } from "../../sources/trust/trust.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import { directoryOf } from "../shared/load-agent.ts";
import { checkNoDirectory } from "../shared/options.ts";
import type { Here } from "../shared/trust/here.ts";
import { type AskBelow, askFirst, askTrust } from "../shared/trust/trust-question.ts";
import { trustedAgent } from "../shared/trusted-database.ts";

const { resolve } = process.getBuiltinModule("node:path");

/** Where a coding agent works, and a way to ask again whether its project is trusted. */
export type CodingSetup = {
  readonly place: HostPlace & { readonly workbench: Workbench };
  /** What there is to say where it is not trusted, and nobody could be asked. */
  readonly askForTrust: (ask?: AskBelow) => Promise<readonly string[]>;
};

/** Of an agent that needs files; other agents have none. */
export async function codingSetupFor(
  known: AgentRecord,
  store: Store,
  given: DirectoryValues & { readonly here: Here; readonly charter?: string | undefined },
  mayAsk: boolean,
  files?: FileAccess,
): Promise<CodingSetup | undefined> {
  const { agent, declaration } = await trustedAgent(known, store, given);
  const { home } = store;
  if (!needsFiles(declaration)) {
    const { trust: _trust, ...others } = given;
    checkNoDirectory(others, `“${agent.name}” reads none`);
    return undefined;
  }
  const values = directoryOf(agent, given);
  const { isTrusted, placesOf, trustHint, trustNotices, workbenchOf } = await import("../shared/directory.ts");
  const places = placesOf(values);
  // Whoever was asked about the directory a moment ago is not asked again.
  const said = given.here.saidOf(places.cwd);
  let once = said && "fingerprint" in said ? said.fingerprint : undefined;
  const trusted = () => (once !== undefined && once === projectFingerprint(places)) || isTrusted(values, places);
  if (!mayAsk && !trusted())
    for (const { code, message } of trustNotices(values, places)) process.stderr.write(`! ${code}: ${message}\n`);
  const settleTrust = async (ask?: AskBelow) => {
    if (values.trust === false || trusted() || projectTrust(places).gated.length === 0) return [];
    if (ask) {
      const shown = projectFingerprint(places);
      once = (await askTrust(places, ask)) === "once" ? shown : undefined;
    }
    const hint = ask ? undefined : trustHint(values, places);
    return hint === undefined ? [] : [hint];
  };
  if (mayAsk && said === undefined) await settleTrust(askFirst);
  const workbench = workbenchOf(values, {
    trusted,
    limits: { commandSeconds: 600 },
    declaration,
    ...(files === undefined ? {} : { files }),
    // A database in the directory is the store's: nobody else reads or writes there.
    protected: home.place.includes("://") ? [] : [resolve(home.place)],
  });
  await checkReadable(workbench);
  return { place: { workbench, withoutSettings: agent !== known }, askForTrust: settleTrust };
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
