import type { Host } from "../../host/host.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import { notFound } from "../caller.ts";

/** An agent is written to, and lives by itself, if its charter needs an inbox: no other ever looks there. */
export async function checkInbox(host: Host, agent: AgentRecord): Promise<void> {
  if (await hasInbox(host, agent)) return;
  throw new Problem(
    "no-inbox",
    `The charter of “${agent.name}” has no inbox.`,
    "Name an agent whose charter needs one, such as “sovereign”.",
  );
}

export async function hasInbox({ traits }: Host, agent: AgentRecord): Promise<boolean> {
  return (await traits(agent)).needs.includes("inbox");
}

/** Nobody posts as a chain does: whoever signs a message of a chain has posted it there, and asks for the secret of its reply. */
export async function checkPostedOnChain(
  { inbox }: Store,
  address: string,
  { agent, id, body }: { readonly agent: string; readonly id: string; readonly body: string },
): Promise<void> {
  const found = await inbox.find(agent, id);
  if (found?.channel !== "chain" || found.sender !== address || found.body !== body) throw notFound(`message “${id}”`);
}
