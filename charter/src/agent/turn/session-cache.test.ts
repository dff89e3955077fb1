import { expect, test } from "vitest";
import { createSessionCache } from "./live-session.ts";

const said = (chars: number) => ({
  baseline: null,
  stretches: [{ turn: "t", tainted: false, messages: [{ role: "user" as const, text: "a".repeat(chars) }] }],
});

test("what was used longest ago goes when the bytes are too many, whichever agent's it is", () => {
  const cache = createSessionCache({ sessions: 10, bytes: 30_000 });
  const [ada, bob] = [cache.section(), cache.section()];
  ada.set("one", said(5000));
  bob.set("one", said(5000));
  expect([cache.count(), cache.bytes() > 20_000]).toEqual([2, true]);
  ada.set("one", said(5000));
  ada.set("two", said(5000));
  expect([ada.get("one") !== undefined, bob.get("one"), ada.get("two") !== undefined]).toEqual([true, undefined, true]);
});

test("one that has grown is measured anew, and one that is larger than all may be is not kept", () => {
  const cache = createSessionCache({ sessions: 10, bytes: 30_000 });
  const ada = cache.section();
  ada.set("one", said(10));
  const small = cache.bytes();
  ada.set("one", said(5010));
  expect(cache.bytes() - small).toBe(10_000);
  ada.set("one", said(50_000));
  expect([ada.get("one"), cache.bytes(), cache.count()]).toEqual([undefined, 0, 0]);
});

test("so many at most, however small", () => {
  const cache = createSessionCache({ sessions: 2, bytes: 1_000_000 });
  const ada = cache.section();
  for (const id of ["one", "two", "three"]) ada.set(id, said(1));
  expect([ada.get("one"), ada.get("two") !== undefined, cache.count()]).toEqual([undefined, true, 2]);
});
