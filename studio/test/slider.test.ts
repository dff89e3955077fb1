import { expect, test } from "vitest";
import { expectDrawnLimit } from "./stage/drawn-limit.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";

inBrowser("drawing the limit once", () => {
  const on = onStage({ lived: false });

  test("over 1,000 sections: the picture follows, draws only what fits, and is what assemble says", async () => {
    await expectDrawnLimit(on, 1_000, [[1, 0.4]], 1);
    expect(await on.window.page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(6000);
  });
});
