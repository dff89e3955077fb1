import { test } from "vitest";
import { expectDrawnLimit } from "./stage/drawn-limit.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { everywhere } from "./stage/slider.ts";

inBrowser("drawing the limit", { timeout: 600_000 }, () => {
  const on = onStage({ lived: false });

  // How long each move holds the page up is measured by `npm run bench -- --only studio`.
  for (const sections of [1_000, 10_000])
    test(`over ${sections} sections: the picture follows, and is in the end what assemble says`, () =>
      expectDrawnLimit(on, sections, everywhere, 15));
});
