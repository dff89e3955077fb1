import { expect, test } from "vitest";
import type { Charter } from "../prompt/charter.ts";
import { fromText } from "../prompt/reading.ts";
import { charterRecordOf } from "./agents.ts";

const charter: Charter = {
  name: "tally",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "law", words: "Count." }] },
    {
      name: "own",
      mutability: { amendableBy: ["agent"], scope: "agent" },
      sections: [{ name: "habits", read: (text) => fromText(text) }],
    },
    { name: "now", mutability: "live", sections: [{ name: "now", trust: "own", sources: [() => fromText("Now.")] }] },
  ],
};

test("words, layers and limits are kept; functions are named, by section", () => {
  const rules = async () => () => ({ guards: [] });
  const hooks = [{ name: "h", input: () => undefined }];
  const kept = charterRecordOf({ charter, rules, hooks, limits: { steps: 3 }, window: undefined } as {
    charter: Charter;
  });
  expect(JSON.parse(JSON.stringify(kept))).toEqual({
    charter: {
      name: "tally",
      layers: [
        { name: "law", mutability: "fixed", sections: [{ name: "law", words: "Count." }] },
        { name: "own", mutability: { amendableBy: ["agent"], scope: "agent" }, sections: [{ name: "habits" }] },
        { name: "now", mutability: "live", sections: [{ name: "now", trust: "own", sources: [] }] },
      ],
    },
    says: { limits: { steps: 3 } },
    functions: ["rules", "hooks"],
    sections: { habits: ["read"], now: ["sources"] },
  });
  expect(charterRecordOf(charter)).toMatchObject({ says: {}, functions: [] });
});
