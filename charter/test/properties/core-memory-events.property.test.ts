import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { NostrEvent } from "../../src/sources/core-memory/memory-key.ts";
import { checkEvent, judgeAnswers } from "../../src/sources/core-memory/read-memory.ts";
import type { RelayAnswer, RelayTrouble } from "../../src/sources/core-memory/relay.ts";
import { runs } from "../tiers/search.ts";
import { always } from "./generate.ts";
import { foreignWord, key, type MadeEvent, makeEvents } from "./memory-events.ts";

const pool = makeEvents(runs(100, 3000));
const pooled = (at: number) => pool[at % pool.length] as MadeEvent;

type Field = keyof NostrEvent;
const fields: readonly Field[] = ["id", "pubkey", "created_at", "kind", "tags", "content", "sig"];

/** What a relay gave, and what is true of it. */
type Given = { readonly given: unknown } & Omit<MadeEvent, "event">;

// What may happen to an event on its way.

const place = fc.nat();
const replaced = (text: string, at: number) => {
  const index = at % Math.max(1, text.length);
  return `${text.slice(0, index)}${text[index] === "a" ? "b" : "a"}${text.slice(index + 1)}`;
};
const junk = fc.oneof(
  fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }),
  fc.jsonValue(),
);
const anyText = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant("A".repeat(200_000)));

type Change = (event: NostrEvent) => unknown;
const by = <Value>(value: fc.Arbitrary<Value>, change: (value: Value) => Change) => value.map(change);
const fixed = (change: Change) => fc.constant(change);
const anyField = fc.constantFrom(...fields);
const textField = fc.constantFrom("id" as const, "pubkey" as const, "sig" as const, "content" as const);

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 14, arbitrary: fixed((event) => event) },
  fixed((event) => JSON.parse(JSON.stringify(event)) as unknown),
  by(fc.tuple(fc.string(), junk), ([name, value]) => (event) => ({ [`x${name}`]: value, ...event })),
  by(fc.tuple(anyField, junk), ([name, value]) => (event) => ({ ...event, [name]: value })),
  by(anyField, (name) => (event) => ({ ...event, [name]: undefined })),
  by(fc.tuple(textField, place), ([name, at]) => (event) => ({ ...event, [name]: replaced(event[name], at) })),
  by(fc.tuple(anyField, place), ([name, at]) => (event) => ({ ...event, [name]: pooled(at).event[name] })),
  by(fc.integer(), (more) => (event) => ({ ...event, created_at: event.created_at + more })),
  fixed((event) => ({ ...event, created_at: String(event.created_at) })),
  by(fc.array(fc.string()), (tag) => (event) => ({ ...event, tags: [...event.tags, tag] })),
  fixed((event) => ({ ...event, tags: event.tags.slice(1) })),
  fixed((event) => ({ ...event, tags: event.tags.toReversed() })),
  by(anyText, (content) => (event) => ({ ...event, content })),
  by(anyText, (more) => (event) => ({ ...event, content: event.content + more })),
);

const seven = (given: unknown) => fields.map((name) => (given as NostrEvent)[name]);

const given: fc.Arbitrary<Given> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.tuple(place, change).map(([at, apply]): Given => {
      const { event, ...truth } = pooled(at);
      const changed = apply(event);
      return isDeepStrictEqual(seven(changed), seven(event))
        ? { given: changed, ...truth }
        : { given: changed, own: false };
    }),
  },
  { weight: 1, arbitrary: junk.map((value): Given => ({ given: value, own: false })) },
);

const found = (checked: ReturnType<typeof checkEvent>) =>
  "usable" in checked ? { slug: checked.usable.slug, text: checked.usable.text } : undefined;

test("whatever a relay gives, no check fails, and only the agent's own words are read, as they were written", () => {
  const counts = { usable: 0, own: 0, other: 0 };
  always(
    [given, fc.constantFrom(undefined, undefined, "core", "mem/a")],
    ({ given: one, usable, own, under }, slug) => {
      const checked = checkEvent(one, key, slug);
      const isAsked = slug === undefined || slug === under;
      expect(found(checked)).toEqual(isAsked ? usable : undefined);
      if ("unusable" in checked) expect([checked.unusable, checked.signed]).toEqual([checked.unusable, own && isAsked]);
      expect(JSON.stringify(found(checked)) ?? "").not.toContain(foreignWord);
      counts[usable ? "usable" : own ? "own" : "other"]++;
    },
    runs(200, 10_000),
  );
  // All three kinds were among them.
  expect(Object.values(counts).map((count) => count > 0)).toEqual([true, true, true]);
});

const kinds: readonly RelayTrouble[] = ["unreachable", "late", "refused", "closed", "cut", "nonsense"];
const trouble = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  fc.constantFrom(...kinds).map((kind) => ({ kind, reason: "some reason" })),
);
const answers = fc.array(
  fc.record({ events: fc.oneof(fc.constant<Given[]>([]), fc.array(given, { maxLength: 3 })), trouble }),
  {
    maxLength: 4,
  },
);

/** The later, then the lower id: as the standard says it, and not as the code does. */
const stands = (events: readonly NostrEvent[]) =>
  [...events].sort((one, other) => other.created_at - one.created_at || (one.id < other.id ? -1 : 1))[0];

test("what relays have is empty only where all have finished with nothing, and otherwise the newest of the agent's own words, or unavailable", () => {
  const counts = { present: 0, empty: 0, unavailable: 0 };
  always(
    [answers],
    (relays) => {
      const asked = relays.map(
        ({ events, trouble: what }, at): RelayAnswer => ({
          relay: `wss://${at}`,
          events: events.map((one) => one.given),
          ...(what && { trouble: what }),
        }),
      );
      const finding = judgeAnswers(asked, key, "core");
      const all = relays.flatMap(({ events }) => events);
      const right = all.filter(({ usable }) => usable?.slug === "core");
      const isKnown = relays.length > 0 && relays.every((relay) => relay.trouble === undefined);
      counts[finding.status]++;
      expect(finding.status).toBe(right.length > 0 ? "present" : all.length === 0 && isKnown ? "empty" : "unavailable");
      expect(JSON.stringify(finding)).not.toContain(foreignWord);
      if (finding.status !== "present") return;
      const newest = stands(right.map((one) => one.given as NostrEvent));
      const truth = right.find((one) => (one.given as NostrEvent).id === newest?.id)?.usable;
      expect([finding.head.event.id, finding.head.text]).toEqual([newest?.id, truth?.text]);
    },
    runs(50, 2000),
  );
  expect(Object.values(counts).map((count) => count > 0)).toEqual([true, true, true]);
});
