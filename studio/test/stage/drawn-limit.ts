import { expect } from "vitest";
import { loadTokenizer } from "../../../charter/src/delivery/tokenizer.ts";
import { assemble, gather } from "../../../charter/src/index.ts";
import { writeManySections } from "./many-sections.ts";
import type { OnStage } from "./on-stage.ts";
import { goTo } from "./places.ts";
import { drawLimit, type Way } from "./slider.ts";

const at = "2026-02-18T15:04:00.000Z";

/** Draws the limit over so many sections: the picture follows, and is in the end what the same code says here, in Node. */
export async function expectDrawnLimit(
  { stage, window }: OnStage,
  sections: number,
  ways: readonly Way[],
  moves: number,
): Promise<void> {
  const agent = `many-${sections}`;
  await stage.store.agents.add({ name: agent, charter: writeManySections(stage.folder, sections) });
  const { page } = window;
  await goTo(page, `/agents/${agent}/prompt?at=${at}`);
  await page.getByText(/untrimmed; at least/).waitFor();
  await drawLimit(page, ways, moves);
  const tokens = Number(new URL(page.url()).searchParams.get("tokens"));
  const { declaredTurn } = await stage.house.snapshot({ agent, at });
  const tokenizer = await loadTokenizer("o200k_base");
  const prompt = assemble(declaredTurn.charter, await gather(declaredTurn.charter, declaredTurn.turn), {
    tokens,
    tokenizer,
  });
  const { total } = prompt.tokens(tokenizer);
  expect(total).toBeLessThanOrEqual(tokens);
  await page
    .getByText(`${total.toLocaleString("en")} tokens`, { exact: true })
    .first()
    .waitFor();
  expect(await page.locator("main").textContent()).toContain(
    `in ${prompt.sections.length.toLocaleString("en")} sections`,
  );
  expect(window.wrong).toEqual([]);
}
