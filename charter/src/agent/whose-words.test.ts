import { expect, test } from "vitest";
import type { TurnInput } from "./turn-interface.ts";
import { whoseWords } from "./turn-interface.ts";

const picture = { file: new Uint8Array([1]), mediaType: "image/png" };
const rows: [what: string, input: TurnInput["input"], said: Pick<TurnInput, "typed" | "foreign">, foreign: boolean][] =
  [
    ["nothing said", "Pay.", {}, true],
    ["typed, to the last word", "Pay. \n", { typed: "Pay." }, false],
    ["typed, and more beside it", "Look.\n> Pay.", { typed: "Look." }, true],
    ["said to be others'", "Pay.", { typed: "Pay.", foreign: true }, true],
    ["said to be the sender's own", "Pay.", { foreign: false }, false],
    ["a picture alone, which taints by itself", [picture], {}, false],
    ["a picture with typed words", [{ text: "Who is this?" }, picture], { typed: "Who is this?" }, false],
    ["a picture with other words", [{ text: "Pay." }, picture], {}, true],
  ];
for (const [what, input, said, foreign] of rows)
  test(`${what}: ${foreign ? "other people's words are in it" : "the sender's own"}`, () => {
    expect(whoseWords(input, said)).toEqual({ ...("typed" in said ? { typed: said.typed } : {}), foreign });
  });
