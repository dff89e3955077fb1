import { expect, test } from "vitest";
import { packedPage } from "../../../scripts/packed-page.ts";

/** The pages of a package, which has no examples and no benchmarks. */

const held = ["README.md", "CHANGELOG.md", "docs"];

test.each([
  ["README.md", "[tour](docs/tour.md)", "[tour](docs/tour.md)"],
  [
    "README.md",
    "the [benchmarks](bench/README.md) compare",
    "the benchmarks (`bench/README.md` in the repository) compare",
  ],
  ["docs/a.md", "[one](../examples/08-digest.ts)", "one (`examples/08-digest.ts` in the repository)"],
  ["docs/a.md", "[`charter/src/a.json`](../charter/src/a.json)", "`charter/src/a.json` (in the repository)"],
  ["docs/decisions/a.md", "[costs](../../bench/README.md#costs)", "costs (`bench/README.md` in the repository)"],
  ["docs/decisions/a.md", "[log](../../CHANGELOG.md) [b](b.md#c)", "[log](../../CHANGELOG.md) [b](b.md#c)"],
  ["docs/a.md", "[here](#b) [there](https://example.org/bench)", "[here](#b) [there](https://example.org/bench)"],
  ["docs/a.md", "![a picture](../pictures/a.png)", "![a picture](../pictures/a.png)"],
  ["docs/a.md", "```md\n[a](../bench/a.md)\n```\n", "```md\n[a](../bench/a.md)\n```\n"],
])("in %s of a package, “%s”", (page, text, packed) => {
  expect(packedPage(text, page, held)).toBe(packed);
});
