import fc from "fast-check";
import { expect, test } from "vitest";
import { assemble, type Charter, Problem, type Readings, type Room, type Tokenizer } from "../../src/index.ts";
import { charterData } from "../../src/prompt/charter.ts";
import { always, editions, given, hostile } from "./generate.ts";

/** Four characters a token, at line ends more: enough for limits to bite at other places than characters do. */
const tokenizer: Tokenizer = {
  name: "quarters",
  exact: true,
  count: (text) => text.split("\n").reduce((sum, line) => sum + Math.ceil((line.length + 1) / 4), 0),
};

function outcome(charter: Charter, readings: Readings, room: Room) {
  try {
    const { text, sections, spans, cuts, omitted, notices, tokens } = assemble(charter, readings, room);
    const { total, sections: each } = tokens(tokenizer);
    return { text, sections, spans, cuts, omitted, notices, total, each };
  } catch (error) {
    if (error instanceof Problem) return { code: error.code, message: error.message };
    throw error;
  }
}

function throughJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

test("a charter as plain data makes the same prompt in every room, also where it went through JSON", () => {
  const share = fc.double({ min: 0, max: 1.1, noNaN: true });
  always([given({ words: hostile }), editions, share, share], ({ charter, readings }, edition, some, other) => {
    const data = throughJson(charterData(charter));
    const told = throughJson(readings);
    expect(JSON.stringify(data)).toBe(JSON.stringify(charterData(charter)));
    const whole = assemble(charter, readings, { edition });
    const chars = Math.floor(whole.text.length * some);
    const tokens = Math.floor(whole.tokens(tokenizer).total * other);
    for (const room of [
      { edition },
      { edition, chars },
      { edition, tokens, tokenizer },
      { edition, chars, tokens, tokenizer },
    ])
      expect(outcome(data, told, room)).toEqual(outcome(charter, readings, room));
  });
});
