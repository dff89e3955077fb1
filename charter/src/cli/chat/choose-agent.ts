import { checkWindow, isWindow } from "../../agent/turn/window.ts";
import { demoSettings, usualCharter } from "../../host/built-in.ts";
import type { Host } from "../../host/host.ts";
import { isCharterFolder, loadCharter } from "../../host/load.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import { agentNameFrom } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";

const { resolve } = process.getBuiltinModule("node:path");

type AgentChoice = { readonly agent?: string | undefined; readonly charter?: string | undefined };

/** Store in which an agent is chosen, and the charters known by name there. */
type ChoicePlace = Pick<Host, "store"> & Partial<Pick<Host, "charters" | "sources">>;

/** Checks whether the choice may create an agent. */
export function mayCreate({ agent, charter }: AgentChoice): boolean {
  return agent === undefined || charter !== undefined;
}

/**
 * Chooses the agent to talk to: the named one, or the only one there is. Without any, the demo agent is created; with a charter,
 * an agent of it.
 */
export async function chooseAgent(
  place: ChoicePlace,
  asked: AgentChoice,
): Promise<{ readonly agent: AgentRecord; readonly made: boolean }> {
  const { agent: name, charter } = asked;
  const { store } = place;
  if (charter !== undefined) return ofCharter(place, name ?? (await nameFor(store, charter)), charter);
  if (name !== undefined) return { agent: await store.agents.get(name), made: false };
  const [first, ...others] = await store.agents.list();
  if (!first) return make(place, "ada", usualCharter);
  // Of several none is chosen: it is said which there are.
  if (others.length > 0) await (await import("../../operations/only-one.ts")).onlyAgent(store);
  return { agent: first, made: false };
}

async function ofCharter(place: ChoicePlace, name: string, charter: string) {
  const record = await place.store.agents.find(name);
  if (!record) return make(place, name, charter);
  if (record.charter === charter) return { agent: record, made: false };
  throw new Problem(
    "usage",
    `“${name}” has the charter “${record.charter}”, not “${charter}”.`,
    "Leave --charter out, or give another name with --agent.",
  );
}

async function make({ store, charters, sources }: ChoicePlace, name: string, charter: string) {
  await loadCharter(charter, { charters, sources });
  return { agent: await store.agents.add({ name, charter, settings: await demoSettings(charter) }), made: true };
}

/** Name for an agent of a charter: the charter's own, or its file's or folder's, made valid. An existing agent of that name is used. */
async function nameFor(store: Store, charter: string): Promise<string> {
  const path = isCharterFolder(charter) ? resolve(charter) : charter;
  const name = path.replace(/^.*[/\\]/, "").replace(/\.[^.]+$/, "");
  return (await store.agents.find(name)) ? name : agentNameFrom(name);
}

/** Window given by --window, or set for the agent. */
export function windowIn(
  { window }: { readonly window?: number | undefined },
  { settings }: { readonly settings: Readonly<Record<string, unknown>> },
): number | undefined {
  checkWindow(window);
  return window ?? (isWindow(settings.window) ? settings.window : undefined);
}
