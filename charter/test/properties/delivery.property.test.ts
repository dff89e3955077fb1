import fc from "fast-check";
import { expect, test } from "vitest";
import type { Rules } from "../../../bench/cost/cache-rules.ts";
import { type Block, createSimulator } from "../../../bench/cost/cache-sim.ts";
import { labelOf, lastSaid, stabilityOf, updateOpening } from "../../src/delivery/baseline.ts";
import { partsIn } from "../../src/delivery/change.ts";
import { messageTokens } from "../../src/delivery/cost.ts";
import { historyOf } from "../../src/delivery/history.ts";
import { carriesMark, markOf, withoutMark } from "../../src/delivery/mark.ts";
import type { Message } from "../../src/delivery/model.ts";
import type { Receiver } from "../../src/delivery/receiver.ts";
import { type StandingPart, withChange } from "../../src/delivery/stand-in-view.ts";
import { receiptOf, type Tokenizer } from "../../src/index.ts";
import { rebuild, type SectionText } from "../../src/prompt/receipt.ts";
import { sha256 } from "../../src/store/texts/packing.ts";
import { runs } from "../tiers/search.ts";
import { always, hostile, plain, sectionsOf, sectionText } from "./generate.ts";
import { type Asked, anyReceiver, layered, lived, type Session, sessions } from "./sessions.ts";

const wordsIn = ({ said }: Asked, slot: string): SectionText[] =>
  said.delivery.placements.flatMap((one) => (one.slot === slot ? (one.sections as SectionText[]) : []));
const systemText = ({ said }: Asked) => said.delivery.request.system.map(({ text }) => text).join("");
const unmarked = ({ breakpoint: _, ...message }: Message & { breakpoint?: true }) => message;
const before = ({ said }: Asked) => said.delivery.request.messages.slice(0, said.delivery.history.length).map(unmarked);
/** What a reader of a request knows a section to be: its words in the prefix, with what updates tell made in them. */
function knownWords(one: Asked, name: string): string | undefined {
  const { baseline } = one.said.delivery;
  const partsOf = (words: SectionText) => partsIn(words) ?? [{ name: null, lines: words.text.split("\n") }];
  const textOf = (parts: readonly StandingPart[]) => parts.flatMap(({ lines }) => lines).join("\n");
  const opened = baseline.words.find((words) => words.name === name);
  let parts: readonly StandingPart[] | undefined = opened && partsOf(opened);
  for (const words of wordsIn(one, "update")) {
    if (words.name !== name) continue;
    const text = words.text.replace(/^\[system [0-9a-f]{8}\] /, "");
    const { heading } = sectionsOf(one.charter).find(({ section }) => section.name === name)?.section ?? {};
    const opening = updateOpening(labelOf(name, heading, words));
    if (isGone(text)) parts = undefined;
    else if (words.trust === "foreign") parts = [{ name: null, lines: text.split("\n").slice(1, -1) }];
    else if (text.startsWith(opening)) {
      const [, ...spans] = words.spans;
      parts = partsOf({ ...words, text: text.slice(opening.length), spans });
    } else {
      const whole = parts && [{ name: null, lines: textOf(parts).split("\n") }];
      const changed = parts && whole && (withChange(text, parts) ?? withChange(text, whole));
      parts = changed ?? partsOf({ ...words, text, spans: words.spans.slice(text === words.text ? 0 : 1) });
    }
  }
  return parts && textOf(parts);
}
const isGone = (text: string) => /Your prompt has changed: “.*” no longer applies\.$/s.test(text);
const pairs = (asked: readonly Asked[]) =>
  asked.slice(1).map((now, index): [Asked, Asked] => [asked[index] as Asked, now]);

/** A session is many requests, so half as many are tried. */
const throughout = (arbitrary: fc.Arbitrary<Session>, holds: (session: Session) => void) =>
  always([arbitrary], holds, runs(15, 500));

const folds = [
  "the tools changed",
  "the history was compacted",
  "“",
  "the words ",
  "the order",
  "the cache is cold",
  "a new prefix costs less",
  "the messages that tell of changes are longer",
];

test("a request begins with the whole one before, unless it folds, for a reason, where a turn opens", () => {
  throughout(sessions({ words: hostile, forms: false }), (session) => {
    const asked = lived(session);
    for (const [last, now] of pairs(asked)) {
      const { prefixChange: change, request, said } = now.said.delivery;
      if (change.how === "opened") continue;
      if (change.how === "folded") {
        expect(folds.some((reason) => change.reason.startsWith(reason))).toBe(true);
        if (!now.opens) expect(["tools", "compacted"]).toContain(now.move.kind);
        if (session.receiver.binds) expect(change.reason).not.toBe("the cache is cold");
        continue;
      }
      expect(systemText(now)).toBe(systemText(last));
      expect(before(now).slice(0, before(last).length)).toEqual(before(last));
      expect(request.tools).toEqual(last.said.delivery.request.tools);
      expect(change.how).toBe(said.length === 0 ? "kept" : "updated");
    }
  });
});

/** Messages as a provider compares them: without reasoning and breakpoints. */
const comparable = (messages: readonly Message[]) =>
  messages.map(
    ({ breakpoint: _, native: __, ...message }: Message & { breakpoint?: true; native?: unknown }) => message,
  );

test("reasoning is sent behind the very beginning it came of, whole, or not at all", () => {
  const receivers = layered.map((receiver): Receiver => ({ ...receiver, binds: true }));
  throughout(sessions({ words: hostile, forms: false, receivers }), (session) => {
    const cameOf = new Map<string, unknown>();
    const all: string[] = [];
    for (const one of lived(session)) {
      const { tools, system, messages } = one.said.delivery.request;
      const beginning = (end: number) => [
        tools,
        system.map(({ text }) => text).join(""),
        comparable(messages.slice(0, end)),
      ];
      const sent = messages.flatMap((message, at) => {
        if (message.role !== "assistant" || message.native === undefined) return [];
        const native = JSON.stringify(message.native);
        expect(beginning(at)).toEqual(cameOf.get(native));
        return [native];
      });
      expect(sent).toEqual(all.slice(all.length - sent.length));
      const answer = one.past.findLast(({ role }) => role === "assistant");
      const native = answer?.role === "assistant" ? JSON.stringify(answer.native) : "";
      cameOf.set(native, beginning(messages.length));
      all.push(native);
    }
  });
});

test("other people's text never has the system's voice", () => {
  const words = hostile.map((one) => `STRANGER ${one}`);
  throughout(sessions({ words, receivers: anyReceiver, inputs: fc.constant("Hello.") }), (session) => {
    for (const one of lived(session)) {
      const spoken = one.said.delivery.placements.flatMap(({ slot, sections, message }) => {
        const role = message === undefined ? slot : one.said.delivery.history[message]?.role;
        return (sections as SectionText[]).map(({ trust }) => [trust, role]);
      });
      expect(spoken.filter(([trust, role]) => trust === "foreign" && role !== "user")).toEqual([]);
    }
  });
});

test("each section's words of now stand in one slot, as the latest that was said of it", () => {
  throughout(sessions({ words: hostile, receivers: anyReceiver }), (session) => {
    const { receiver } = session;
    const asked = lived(session);
    for (const one of asked) {
      const { delivery, prompt } = one.said;
      const known = new Map(sectionsOf(one.charter).map(({ section }) => [section.name, section]));
      for (const { name, mutability, stability } of prompt.sections) {
        const text = sectionText(one.charter, prompt, name) as string;
        const inSystem = wordsIn(one, "system").filter((words) => words.name === name);
        const updates = wordsIn(one, "update").filter((words) => words.name === name);
        if (receiver.slots === "one-string") {
          expect(inSystem.length + updates.length).toBe(1);
          continue;
        }
        const isState = stabilityOf({ mutability, stability }) === "state";
        if (isState) expect(inSystem).toEqual([]);
        // What cannot be told in the midst of a turn waits for the next one.
        if (!one.opens) continue;
        const latest = updates.at(-1) ?? inSystem[0];
        const now = isState && text.trim() === "" ? "" : text;
        if (now !== "" || (latest && !isGone(latest.text))) expect(knownWords(one, name)).toBe(now);
        expect(lastSaid(delivery.baseline, name)?.text ?? "").toBe(now);
      }
      const shown = new Set(prompt.sections.map(({ name }) => name));
      const away = new Set(prompt.omitted.filter(({ reason }) => reason === "unavailable").map(({ name }) => name));
      for (const words of [...wordsIn(one, "system"), ...wordsIn(one, "update")]) {
        if (shown.has(words.name) || away.has(words.name) || words.name === "mark") continue;
        if (stabilityOf(words) === "event" || known.get(words.name)?.stability === "event") continue;
        if (!one.opens) continue;
        const latest = wordsIn(one, "update").findLast(({ name }) => name === words.name);
        expect(isGone(latest?.text ?? "")).toBe(true);
      }
    }
  });
});

test("a section that cannot be read stands as it was last said", () => {
  const kinds = ["words", "away", "away", "state", "vanish", "cold", "tools"] as const;
  throughout(sessions({ words: plain, forms: false, kinds, stabilities: ["stable", "state"] }), (session) => {
    for (const [last, one] of pairs(lived(session)))
      for (const { name, reason } of one.said.prompt.omitted) {
        const said = lastSaid(last.said.delivery.baseline, name);
        if (reason !== "unavailable" || !said) continue;
        expect(lastSaid(one.said.delivery.baseline, name)?.text).toBe(said.text);
        expect(knownWords(one, name)).toBe(said.text);
      }
  });
});

test("fixed words are whole in the system's slot, before every word an agent or a user can change", () => {
  throughout(sessions({ words: hostile, receivers: anyReceiver }), (session) => {
    const asked = lived(session);
    for (const one of asked) {
      const changeable = new Set(
        sectionsOf(one.charter)
          .filter(
            ({ mutability }) =>
              typeof mutability === "object" && mutability.amendableBy.some((who) => who !== "operator"),
          )
          .map(({ section }) => section.name),
      );
      let start = 0;
      let first = Number.POSITIVE_INFINITY;
      for (const words of wordsIn(one, "system")) {
        let at = start;
        for (const span of words.spans) {
          if (span.trust !== "own" || changeable.has(words.name)) first = Math.min(first, at);
          at += span.length;
        }
        start += words.text.length;
      }
      const text = systemText(one);
      expect(text.length).toBe(start);
      for (const { section, mutability } of sectionsOf(one.charter)) {
        if (mutability !== "fixed") continue;
        const at = text.indexOf(section.words as string);
        expect(at).toBeGreaterThan(-1);
        expect(at + (section.words as string).length).toBeLessThanOrEqual(first);
      }
    }
  });
});

/** Every line end is followed by a mark, so that whatever begins a line is known. */
const foreign = fc
  .tuple(hostile, fc.constantFrom("\n", "\r", "\u2028", "\v"))
  .map(([words, end]) => `INTRUDER ${words}${end}INTRUDER`.replaceAll("\n", "\nINTRUDER "));

test("foreign words stay behind their fence in every slot", () => {
  const strangers = { words: foreign, trusts: ["foreign"], tame: true, forms: false } as const;
  const tame = { inputs: fc.constant("Hello."), receivers: anyReceiver } as const;
  throughout(
    sessions({ ...strangers, ...tame, kinds: ["state", "words", "words", "vanish", "cold", "operator"] }),
    (session) => {
      const asked = lived(session);
      for (const one of asked) {
        const spoken = one.said.delivery.placements.map(({ sections }) =>
          (sections as SectionText[]).map(({ text }) => text).join(""),
        );
        for (const text of spoken)
          for (const line of text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/))
            expect(line).not.toMatch(/^[^>\w]*INTRUDER/);
      }
    },
  );
});

test("after a fold no word that a section no longer has is anywhere in the request", () => {
  throughout(sessions({ words: plain, forms: false, stabilities: ["stable", "state"] }), (session) => {
    const asked = lived(session);
    for (const one of asked) {
      if (one.said.delivery.prefixChange.how !== "folded") continue;
      const { prompt, delivery } = one.said;
      const away = prompt.omitted.filter(({ reason }) => reason === "unavailable").map(({ name }) => name);
      const kept = away.map((name) => lastSaid(delivery.baseline, name)?.text ?? "");
      const now = [prompt.text, ...kept].join("\n");
      const sent = JSON.stringify([delivery.request.system, delivery.request.messages]);
      for (const [token] of sent.matchAll(/W\w+W|Zs\d+p\d+Z/g)) expect(now).toContain(token);
    }
  });
});

test("an operator's change folds when the next turn opens, whatever was said before", () => {
  const kinds = ["words", "words", "operator", "state", "vanish"] as const;
  throughout(
    sessions({ words: plain, forms: false, kinds, statuses: ["present"], stabilities: ["stable"] }),
    (session) => {
      const asked = lived(session);
      for (const [last, one] of pairs(asked)) {
        if (one.move.kind !== "operator" || !one.opens) continue;
        const target = Object.keys(one.readings).find((name) => one.readings[name] !== last.readings[name]);
        const said = target === undefined ? undefined : lastSaid(last.said.delivery.baseline, target);
        if (said) expect(one.said.delivery.prefixChange).toMatchObject({ how: "folded" });
      }
    },
  );
});

// The mark.

const secretMark = markOf("a secret", sha256);
const markPieces = fc.constantFrom(
  secretMark,
  secretMark.toUpperCase(),
  secretMark.slice(0, 12),
  secretMark.slice(12),
  secretMark.replace(" ", "\u200b "),
  "\u2060",
  " ",
  "x",
  "\n",
);
const marking = fc.oneof(
  hostile,
  fc.array(fc.oneof(markPieces, hostile), { maxLength: 5 }).map((all) => all.join("")),
);

test("no words but the system's own carry the mark, however it is dressed", () => {
  always([marking], (words) => {
    const plain = withoutMark(words, secretMark);
    expect(carriesMark(plain, secretMark)).toBe(false);
    expect(plain.toLowerCase().startsWith(secretMark)).toBe(false);
    if (!carriesMark(words, secretMark)) expect(plain).toBe(words);
  });
});

test("in a session only updates of the system's begin with its mark, and nobody else's words carry it", () => {
  const receivers = layered.map((receiver): Receiver => ({ ...receiver, voice: "user" }));
  const words = marking.map((one) => one.replace(/^/, "x"));
  throughout(sessions({ words, inputs: marking, receivers, tame: true, forms: false }), (session) => {
    const asked = lived(session);
    for (const one of asked) {
      const { delivery } = one.said;
      const mark = markOf(delivery.baseline.secret, sha256);
      const own = delivery.placements.filter(({ sections }) => (sections as SectionText[])[0]?.trust !== "foreign");
      const spoken = new Set(own.flatMap(({ message }) => (message === undefined ? [] : [message])));
      for (const [index, message] of delivery.request.messages.entries()) {
        if ("text" in message) expect(message.text.startsWith(mark)).toBe(spoken.has(index));
        if (!spoken.has(index)) expect(carriesMark(JSON.stringify(message), mark)).toBe(false);
      }
      for (const { text } of wordsIn(one, "system").filter(({ trust }) => trust !== "own"))
        expect(carriesMark(text.replace(mark, ""), mark)).toBe(false);
    }
  });
});

test("a history made again from what was recorded is the one that was sent", () => {
  throughout(sessions({ words: plain, forms: false }), (session) => {
    for (const { turns, baseline, past } of lived(session))
      expect(historyOf(turns, baseline, session.receiver).flatMap(({ messages }) => messages)).toEqual(past);
  });
});

// Receipts.

test("from a receipt each slot is rebuilt byte for byte: the system's text, each update", () => {
  throughout(sessions({ words: hostile, receivers: anyReceiver }), (session) => {
    const asked = lived(session);
    for (const one of asked) {
      const { delivery, prediction, prompt } = one.said;
      const { placements, history, predicted } = prediction;
      const { receipt, texts } = receiptOf(one.charter, prompt, { sha256, placements, history, predicted });
      const kept = new Map(texts.map(({ digest, text }) => [digest, text]));
      const slots = rebuild(JSON.parse(JSON.stringify(receipt)), ({ digest }) => kept.get(digest) as string);
      const { messages } = delivery.request;
      for (const { slot, text, digest, message } of slots) {
        expect(sha256(text)).toBe(digest);
        const sent = message === undefined ? systemText(one) : messages[message];
        expect([slot, text]).toEqual([slot, typeof sent === "object" ? "text" in sent && sent.text : sent]);
      }
      const spoken = messages.flatMap((message, index) => ("update" in message && message.update ? [index] : []));
      expect(slots.flatMap(({ message }) => message ?? []).sort((a, b) => a - b)).toEqual(spoken);
      for (const { sections } of receipt.slots)
        for (const { spans, digest } of sections)
          expect(spans.reduce((sum, { length }) => sum + length, 0)).toBe(kept.get(digest)?.length);
    }
  });
});

// What it will cost.

/** White space is free, so that what stands between two sections never changes a count. */
const ink: Tokenizer = { name: "ink", exact: true, count: (text) => text.replaceAll(/\s/g, "").length };
const simulate = createSimulator((text) => [...text].map((character) => character.codePointAt(0) as number));

function blocksOf(one: Asked): Block[] {
  const { delivery, prediction } = one.said;
  const { tools } = delivery.request;
  const system = prediction.placements.find(({ slot }) => slot === "system");
  const section = (role: Block["role"], { name, text, tokens }: SectionText): Block => ({
    id: name,
    role,
    text,
    tokens: tokens as number,
  });
  const offered = JSON.stringify(tools);
  return [
    ...(tools.length === 0 ? [] : [{ id: "tools", role: "tools" as const, text: offered, tokens: ink.count(offered) }]),
    ...((system?.sections ?? []) as SectionText[]).map((words, index) => ({
      ...section("system", words),
      cacheBreakpoint: system?.breakpoints?.includes(index + 1) ?? false,
    })),
    ...delivery.history.flatMap((message, index) => messageBlocks(message, delivery.marks.includes(index + 1))),
  ];
}

/** As many blocks as a provider sees, with all of the message's tokens in the last. */
function messageBlocks(message: Message, cacheBreakpoint: boolean): Block[] {
  const parts =
    message.role === "tool"
      ? message.results.length
      : message.role === "assistant"
        ? message.calls.length + (message.text === "" ? 0 : 1)
        : 1;
  return Array.from({ length: parts }, (_, index): Block => {
    const last = index === parts - 1;
    const text = JSON.stringify([message, index]);
    return {
      id: text,
      role: "user",
      text,
      tokens: last ? messageTokens(message, ink) : 0,
      cacheBreakpoint: last && cacheBreakpoint,
    };
  });
}

function rulesOf({ cache }: Receiver): Rules {
  if (cache.kind === "none") return cache;
  const prices = { read: 0.1, write: 1.25, ttl: cache.ttlSeconds, min: cache.min };
  if (cache.kind === "prefix") return { ...prices, kind: "prefix", granularity: cache.granularity };
  const { maxBreakpoints, implicit, lookback } = cache;
  return {
    ...prices,
    kind: "breakpoint",
    max: maxBreakpoints,
    implicit,
    lookback: lookback ?? Number.POSITIVE_INFINITY,
  };
}

test("a prediction adds up, and never claims more from the cache than the provider's rules give", () => {
  throughout(
    sessions({ words: plain, forms: false, separators: ["\n", "\n\n"], receivers: anyReceiver }),
    (session) => {
      const { receiver } = session;
      const asked = lived(session, ink);
      const bills = simulate(
        asked.map(blocksOf),
        rulesOf(receiver),
        asked.map(({ at }) => at),
      ).perRequest;
      for (const [index, { said, move }] of asked.entries()) {
        const { predicted, total, placements } = said.prediction;
        const bill = bills[index] as (typeof bills)[number];
        expect(predicted.read + predicted.written + predicted.fresh).toBe(total);
        expect(total).toBe(bill.total);
        expect(predicted.read).toBeLessThanOrEqual(bill.read);
        if (predicted.read === bill.read)
          expect(predicted).toEqual({ read: bill.read, written: bill.write, fresh: bill.fresh });
        // Where a session goes on, the request before is the one that has most in common with this.
        const { how } = said.delivery.prefixChange;
        const goesOn = receiver.slots === "layered" && (how === "kept" || how === "updated");
        if (index > 0 && goesOn && move.kind !== "cold")
          expect([move.kind, predicted.read]).toEqual([move.kind, bill.read]);
        for (const { sections, slot } of placements)
          for (const one of sections as SectionText[]) {
            const { read, written, fresh } = one.predicted as NonNullable<SectionText["predicted"]>;
            expect([slot, read + written + fresh]).toEqual([slot, one.tokens]);
          }
      }
    },
  );
});
