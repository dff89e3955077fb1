import { expect, test } from "vitest";
import { wrapHelp } from "../command/command-help.ts";

test.for([
  ["what fits stays", "  -p, --port <n>   4747", 40, "  -p, --port <n>   4747"],
  ["prose is wrapped", "It prints a link that signs you in.", 24, "It prints a link that\nsigns you in."],
  [
    "what stands behind a name goes on under itself",
    "  -p, --port <n>   the port, or the next that is free",
    40,
    "  -p, --port <n>   the port, or the next\n                   that is free",
  ],
  [
    "under its name where there is no room beside it",
    "  charter tokens create --user bo   what is bo's own",
    36,
    "  charter tokens create --user bo\n      what is bo's own",
  ],
  [
    "a line to be typed is left whole",
    "  charter why --charter sovereign words",
    30,
    "  charter why --charter sovereign words",
  ],
  [
    "a description that goes on",
    `${" ".repeat(22)}which is looked for from the folder`,
    50,
    `${" ".repeat(22)}which is looked for from the\n${" ".repeat(22)}folder`,
  ],
] as const)("%s", ([, page, width, expected]) => {
  expect(wrapHelp(page, width)).toBe(expected);
});
