import { expect, test } from "vitest";
import { failedText } from "./failed-text.ts";

const because = { code: "model-rejected", message: "The model's provider refused the key." };

test("a failed turn says why, and one that went well says nothing", () => {
  expect([
    failedText({ state: "failed", because }),
    failedText({ state: "failed", because: null }),
    failedText({ state: "failed" }),
    failedText({ state: "interrupted", because: null }),
    failedText({ state: "answered", because: null }),
    failedText({ state: "running", because: null }),
    failedText({ state: "erased", because: null }),
  ]).toEqual([
    "The model's provider refused the key.",
    "It failed, and nobody said why.",
    "It failed, and nobody said why.",
    "The process that ran it stopped.",
    undefined,
    undefined,
    undefined,
  ]);
});
