import { expect, test } from "vitest";
import type { ToolOffer } from "./model.ts";
import { offerTokens, type ReceiverChangeOptions, receiverChangeQuote } from "./prediction.ts";

const tokenizer = { name: "estimate", exact: false, count: (text: string) => text.length } as const;
const price = { input: 1, read: 0.1, write: 2, output: 10 };
const session: ReceiverChangeOptions = {
  ...{ baseline: null, messages: [{ role: "user", text: "Hello." }], natives: 0, offers: [], tokenizer },
};
const offers: ToolOffer[] = [{ name: "look", description: "Looks at a page.", input: { type: "object" } }];

test("whoever takes a session over is sent the tools' definitions as well: they are in the tokens and in the price", () => {
  const bare = receiverChangeQuote({ name: "test/two", price }, session);
  const whole = receiverChangeQuote({ name: "test/two", price }, { ...session, offers });
  const tokens = bare.tokens + offerTokens(offers, tokenizer);
  const cost = (tokens * 2) / 1e6;
  expect(whole).toEqual({
    tokens,
    price: cost,
    says: `The conversation goes on. The next request sends tools, prompt and history again, about ${tokens} tokens. Cost: $${cost.toPrecision(2)} on test/two.`,
  });
});

test("where nothing was said yet there is nothing to send anew", () => {
  expect(receiverChangeQuote({ name: "test/two", price }, { ...session, messages: [], offers })).toEqual({
    ...{ tokens: 0, price: 0, says: "Nothing was said in this session yet." },
  });
});
