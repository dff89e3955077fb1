import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadTokenizer } from "../../charter/src/delivery/tokenizer.ts";
import { assemble, gather } from "../../charter/src/index.ts";
import { whole } from "../../charter/test/homes.ts";
import { noBrowser, openWindow, type Window } from "./browser.ts";
import { writeManySections } from "./many-sections.ts";
import { settled } from "./places.ts";
import { dragLimit } from "./slider.ts";
import { openStage, type Stage } from "./stage.ts";

const at = "2026-02-18T15:04:00.000Z";

describe.skipIf(noBrowser)("drawing the limit", () => {
  let stage: Stage;
  let window: Window;
  beforeAll(async () => {
    stage = await openStage({ lived: false });
    window = await openWindow(await stage.link());
  });
  afterAll(async () => {
    await window?.close();
    await stage?.close();
  });

  /** What the same code says here, in Node, of the prompt in that room. */
  async function assembled(agent: string, tokens: number) {
    const { declaredTurn } = await stage.house.snapshot({ agent, at });
    const tokenizer = await loadTokenizer("o200k_base");
    const prompt = assemble(declaredTurn.charter, await gather(declaredTurn.charter, declaredTurn.turn), {
      tokens,
      tokenizer,
    });
    return { tokens: prompt.tokens(tokenizer).total, sections: prompt.sections.length };
  }

  // Ten thousand are drawn in `npm run bench -- --only studio`, too, which is where the figures are.
  for (const sections of whole ? [1_000, 10_000] : [1_000])
    test(`over ${sections} sections: the picture follows, and is in the end what assemble says`, async () => {
      const agent = `many-${sections}`;
      await stage.store.agents.add({ name: agent, charter: writeManySections(stage.folder, sections) });
      const { page } = window;
      await page.goto(`${stage.url}/agents/${agent}/prompt?at=${at}`);
      await settled(page);
      await page.getByText(/is the least that fits/).waitFor();
      const { byClock, byWork, longest } = await dragLimit(page, 15);
      console.info(
        `Drawing the limit over ${sections} sections: ${byWork.length} tasks of more than 50 ms of work (the longest ${Math.round(longest)} ms), ${byClock.length} by the clock of this machine.`,
      );
      const tokens = Number(new URL(page.url()).searchParams.get("tokens"));
      const expected = await assembled(agent, tokens);
      const whole = (value: number) => value.toLocaleString("en");
      await page
        .getByText(`${whole(expected.tokens)} tokens`, { exact: true })
        .first()
        .waitFor();
      expect(await page.locator("main").textContent()).toContain(`in ${whole(expected.sections)} sections`);
      expect(expected.tokens).toBeLessThanOrEqual(tokens);
      expect(window.wrong).toEqual([]);
    });
});
