import { isCharterFile } from "../../host/load.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import { oneLine } from "../print/columns.ts";
import type { DirectoryValues } from "./options.ts";
import { defaultDatabase } from "./store.ts";

const { resolve } = process.getBuiltinModule("node:path");

/**
 * A database that lies in the directory may have come with it. What it says of an agent speaks for the operator, and a
 * charter of its own is code: both need a project that is trusted. One that lies elsewhere is the user's own.
 */
async function isDatabaseTrusted({ home }: Store, values: DirectoryValues): Promise<boolean> {
  if (home.place.includes("://") || resolve(home.place) !== resolve(defaultDatabase)) return true;
  const { isTrusted, placesOf } = await import("./directory.ts");
  const { cwd: _, ...others } = values;
  return isTrusted(values, placesOf(others));
}

/** A charter's file is run when it is loaded. */
export async function checkCharterFile(
  store: Store,
  { name, charter }: Pick<AgentRecord, "name" | "charter">,
): Promise<void> {
  if (!isCharterFile(charter) || (await isDatabaseTrusted(store, {}))) return;
  throw new Problem(
    "charter-untrusted",
    `“${name}” has the charter ${charter}, which is code, and the project its database lies in is not trusted.`,
    "Look at the file, then say charter trust; or keep the database elsewhere, with --database.",
  );
}

/** A coding agent as it was set up; as nobody set it up, where that cannot be believed. */
export async function trustedAgent(agent: AgentRecord, store: Store, values: DirectoryValues): Promise<AgentRecord> {
  if (agent.charter !== "coder" || Object.keys(agent.settings).length === 0) return agent;
  if (await isDatabaseTrusted(store, values)) return agent;
  process.stderr.write(
    `notice: settings-untrusted: The settings of “${oneLine(agent.name)}” are not used: its database lies in a project that is not trusted (charter trust).\n`,
  );
  return { ...agent, settings: {} };
}
