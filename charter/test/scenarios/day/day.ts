import { expect } from "vitest";
import type { PlaceName } from "../../homes.ts";
import { live, strayWords, wrongAnswers } from "./lived.ts";
import { planDay } from "./plan.ts";
import { unprovedRequests } from "./proof.ts";
import { newDay } from "./stage.ts";

/** So many turns of four users at all doors: all answered, nothing lost, no word astray. */
export async function expectDay(home: PlaceName, turnCount: number): Promise<void> {
  const stage = await newDay(home);
  try {
    const turns = await live(stage, planDay(turnCount));
    await stage.leaveTerminals();
    expect(turns.length).toBeGreaterThanOrEqual(turnCount);
    expect(wrongAnswers(turns)).toEqual([]);
    expect(strayWords(stage, turns)).toEqual([]);
    expect(await unprovedRequests(stage, turns)).toEqual([]);
    const kept = await stage.store.turns.list({ limit: 1000 });
    expect(kept.filter(({ state }) => state !== "answered")).toEqual([]);
    for (const { asked } of Object.values(stage.servers.of)) {
      const refused = asked.flatMap(({ tokens, became }) => (became === "refused" ? [tokens] : []));
      expect(refused).toEqual([...new Set(refused)]);
    }
    expect(await stage.command("verify")).toMatchObject({ code: 0 });
    const last = turns.at(-1);
    const { id = "" } = kept.find(({ input }) => input.startsWith(`(${last?.mark} `)) ?? {};
    const replayed = await stage.command("replay", id, "--request", "--body");
    expect([replayed.code, replayed.stdout.trimEnd()]).toEqual([0, last?.bodies.at(-1)]);
  } finally {
    await stage.close();
  }
}
