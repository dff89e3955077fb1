import { expect, test } from "vitest";
import { type ChainView, inOrder } from "./chain-view.ts";

const view = (host: string, head: number) => ({ node: { host }, head, confirmed: head - 11 }) as unknown as ChainView;
const asked = (...views: readonly ChainView[]) => inOrder(views).map(({ node }) => node.host);

test("of those that are as far, the first that was given is asked first; whoever lags behind comes last", () => {
  expect(asked(view("a", 100), view("b", 100), view("c", 100))).toEqual(["a", "b", "c"]);
  expect(asked(view("a", 99), view("b", 100))).toEqual(["a", "b"]);
  expect(asked(view("a", 90), view("b", 95), view("c", 100), view("d", 99))).toEqual(["c", "d", "b", "a"]);
  expect(asked()).toEqual([]);
});
