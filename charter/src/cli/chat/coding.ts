import { needsFiles } from "../../agent/declaration.ts";
import type { FileAccess } from "../../agent/workspace/files.ts";
import type { HostPlace } from "../../host/host-options.ts";
import type { Workbench } from "../../host/workbench.ts";
import type { DirectoryValues } from "../../operations/common-fields.ts";
import { diagnosticLines, oneLine } from "../../operations/print/columns.ts";
import { wrapText } from "../../operations/print/plain-text.ts";
import { counted, Problem } from "../../prompt/problem.ts";
import { projectFingerprint, projectTrust } from "../../sources/trust/trust.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import { directoryOf } from "../shared/host.ts";
import { checkNoDirectory } from "../shared/prompt-options.ts";
import type { Here } from "../shared/trust/here.ts";
import { type AskBelow, askFirst, askTrust } from "../shared/trust/trust-question.ts";
import { trustedAgent } from "../shared/trust/trusted-database.ts";
import type { SlashCommand } from "../terminal/conversation.ts";
import type { AskQuestion } from "../terminal/lines.ts";
import { output, type Screen } from "../terminal/screen.ts";

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

/** Files are looked at each turn anyway; extensions, and what they add, only now. */
export function workbenchCommands({ place: { workbench }, askForTrust }: CodingSetup, screen: Screen): SlashCommand[] {
  const fitted = (lines: readonly string[]) => lines.flatMap((line) => wrapText(line, screen.width));
  const below = (ask: AskQuestion) => (lines: readonly string[], question: string) => {
    screen.note(lines);
    return ask(question);
  };
  return [
    {
      name: "reload",
      summary: "read files, skills and extensions again",
      run: async (_words, ask) => {
        const untrusted = await askForTrust(ask && below(ask));
        await workbench.reload();
        const hints = untrusted.map((hint) => `${screen.paint.yellow("! untrusted")}: ${oneLine(hint)}`);
        return fitted([...(await workbenchLines(workbench)), ...hints, ...faultLines(workbench, screen)]);
      },
    },
    {
      name: "files",
      summary: "list the files in the prompt",
      run: async () => [
        ...workbench
          .considered()
          .flatMap(({ used, role, path }) => (used ? [`  ${role.padEnd(9)} ${oneLine(path)}`] : [])),
        ...fitted(diagnosticLines(workbench.project.look().diagnostics, output(screen))),
      ],
    },
  ];
}

/** What it has to work with, in one breath. */
export async function workbenchLines(workbench: Workbench): Promise<string[]> {
  const tools = (await workbench.lines()).map(({ name }) => name);
  const used = workbench.considered().filter((one) => one.used);
  const count = (role: string) => used.filter((one) => one.role === role).length;
  const parts = [
    count("system") > 0 ? "its own SYSTEM.md" : "the usual base",
    ...(count("append") > 0 ? ["APPEND_SYSTEM.md"] : []),
    counted(count("context"), "context file"),
    counted(count("skill"), "skill"),
    counted(count("extension"), "extension"),
  ];
  return [`Tools: ${tools.length === 0 ? "none" : tools.join(", ")}. Made of ${parts.join(", ")}.`];
}

export function faultLines(workbench: Workbench, { paint }: Screen): string[] {
  return workbench.faults().map(({ code, message }) => `${paint.yellow(`! ${code}`)}: ${oneLine(message)}`);
}
