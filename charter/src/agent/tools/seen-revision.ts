import { type BoundedMap, createBoundedMap } from "../../prompt/bounded-map.ts";
import type { Store } from "../../store/store.ts";
import type { ToolContext } from "../tool.ts";

/** The newest revisions that tools have told turns of, by turn and section. Old turns are forgotten, oldest first. */
const toldRevisions = new WeakMap<Store, BoundedMap<string, number>>();
const maxEntries = 10_000;

type SeenContext = Pick<ToolContext, "turn" | "scope" | "store" | "prompt" | "standing">;

/** The model is being told a section's words of this revision: it has read them, or written them itself. */
export function noteSeen(context: SeenContext, section: string, revision: number): void {
  const revisions = toldRevisions.get(context.store) ?? createBoundedMap<string, number>(maxEntries);
  toldRevisions.set(context.store, revisions);
  revisions.set(keyOf(context, section), revision);
}

/**
 * The revision a model has seen of a section: the one in its prompt, or a later one that a tool told it of in the same
 * turn. What it proposes is made against that one, so what another hand changed meanwhile is stale and never lost.
 *
 * A section that shows no standing words is seen as it is only while there are none.
 */
export async function revisionSeen(context: SeenContext, section: string): Promise<number> {
  const shown = context.prompt.spans.filter((span) => span.section === section).map(({ revision }) => revision ?? -1);
  const seen = Math.max(-1, toldRevisions.get(context.store)?.get(keyOf(context, section)) ?? -1, ...shown);
  if (seen >= 0) return seen;
  const { text, revision } = await context.standing(section);
  return text.trim() === "" ? revision : 0;
}

function keyOf({ turn, scope }: SeenContext, section: string): string {
  return JSON.stringify([scope.agent, scope.user ?? null, turn, section]);
}
