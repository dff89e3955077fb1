import type { LivedTurn } from "./lived.ts";
import type { DayStage } from "./stage.ts";

type Replayed = { readonly request: object; readonly body: { readonly text: string; readonly same: boolean } | null };

/** Where the record of a turn and what its model's server received are not the same, in words. */
export async function unprovedRequests(stage: DayStage, turns: readonly LivedTurn[]): Promise<string[]> {
  const kept = await stage.store.turns.list({ limit: 1000 });
  const faults: string[] = [];
  for (const { mark, user, bodies } of turns) {
    const turn = kept.find(({ input }) => input.includes(`(${mark} zq${user})`));
    if (!turn) {
      faults.push(`${mark}: it is not on record`);
      continue;
    }
    const steps = await stage.store.steps.of(turn.id);
    if (steps.length !== bodies.length) faults.push(`${mark}: ${steps.length} steps, ${bodies.length} requests`);
    for (const [index, { step }] of steps.entries()) {
      const { status, body } = await stage.operator(`GET /turns/${turn.id}?parts=request&step=${step}`);
      const replayed = (body as { readonly request: Replayed }).request;
      if (status !== 200) faults.push(`step ${step} of ${mark}: ${status} ${JSON.stringify(body)}`);
      else if (replayed.body?.text !== bodies[index] || !replayed.body?.same)
        faults.push(`step ${step} of ${mark}: ${replayed.body?.text} is not ${bodies[index]}`);
    }
  }
  return faults;
}
