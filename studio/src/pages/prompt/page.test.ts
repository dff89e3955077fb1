import { expect, test } from "vitest";
import { cacheWords, changeWords, shareWords } from "./page.tsx";

test("what happens to the prefix is said in a sentence", () => {
  expect(changeWords({ how: "opened" })).toBe("Nothing was sent in this conversation yet: the prefix is new.");
  expect(changeWords({ how: "kept" })).toBe("The prefix is the one that was sent before.");
  expect(changeWords({ how: "updated", sections: ["soul"] })).toBe(
    "The prefix is the one that was sent before. “soul” changed since: sent as an update with your message.",
  );
  expect(changeWords({ how: "updated", sections: ["soul", "rules"] })).toContain("sent as updates");
  expect(changeWords({ how: "folded", sections: ["soul"], reason: "the cache is cold" })).toBe(
    "The prefix is rebuilt with the next request, because the cache is cold. It now includes the changes of “soul”.",
  );
  expect(changeWords({ how: "folded", sections: [], reason: "the tools changed" })).toBe(
    "The prefix is rebuilt with the next request, because the tools changed.",
  );
});

test("tokens are named by where they are, and what there is none of is not named", () => {
  const tokens = { total: 1300, tools: 900, prefix: 300, history: 0, state: 100, tokenizer: "o200k_base", exact: true };
  expect(shareWords(tokens)).toBe("tools 900 · prefix 300 · dynamic state 100");
  expect(shareWords({ ...tokens, history: 1200 })).toBe("tools 900 · prefix 300 · history 1,200 · dynamic state 100");
});

test("what is read from the cache is never said of a request that reads nothing", () => {
  expect(cacheWords({ read: 0, written: 10, fresh: 5 }, "is expected to be")).toBe(
    "None of it is expected to be read from the cache.",
  );
  expect(cacheWords({ read: 1200, written: 0, fresh: 34 }, "is expected to be")).toBe(
    "1,200 of 1,234 tokens are expected to be read from the cache.",
  );
  expect(cacheWords({ read: 1200, written: 0, fresh: 34 }, "was")).toBe(
    "1,200 of 1,234 tokens were read from the cache.",
  );
});
