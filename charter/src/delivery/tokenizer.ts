import { readPackageFile } from "../packages/load-package.ts";
import { Problem } from "../prompt/problem.ts";
import type { Tokenizer } from "../prompt/tokens.ts";

/** Names of the tokenizers whose counts are exact. They need the package gpt-tokenizer, which brings their ranks. */
export const tokenizerNames = ["o200k_base", "cl100k_base"] as const;

type ExactName = (typeof tokenizerNames)[number];

/**
 * Loads the ranks of an exact tokenizer, in the form of `<name>.tiktoken`: each line a token in base64, a space and its rank.
 * They come from the package gpt-tokenizer, unless a program brings its own.
 */
export type LoadRanks = (name: ExactName) => Uint8Array | Promise<Uint8Array>;

const fromPackage: LoadRanks = (name) =>
  readPackageFile(`gpt-tokenizer/data/${name}.tiktoken`, {
    purpose: `The tokenizer “${name}”`,
    otherwise: "Or count with the tokenizer “estimate”.",
  });

/**
 * Loads a tokenizer by name, or `estimate` (a token for every four characters). An exact one is large, so it is loaded only when
 * called.
 */
export function loadTokenizer(name: string): Promise<Tokenizer> {
  return loadTokenizerWith(name, fromPackage);
}

/** Loads a tokenizer without packages, with a function of your own that loads its ranks: for pages in a browser. */
export async function loadTokenizerWith(name: string, loadRanks: LoadRanks): Promise<Tokenizer> {
  if (name === "estimate") return estimate;
  const exact = tokenizerNames.find((one) => one === name);
  if (exact !== undefined) return { name, exact: true, count: createCounter(await loadRanks(exact), splits[exact]()) };
  throw new Problem(
    "unknown-tokenizer",
    `There is no tokenizer “${name}”.`,
    `Use ${tokenizerNames.join(", ")} or estimate.`,
  );
}

/** Estimate for receivers whose tokenizer we do not ship: a token for every four characters. */
const estimate: Tokenizer = { name: "estimate", exact: false, count: (text) => Math.ceil(text.length / 4) };

/**
 * Parts of the expressions that split a text before bytes are merged, as tiktoken splits it. White space is Unicode's: it
 * includes U+0085 and not U+FEFF, where JavaScript's `\s` has it the other way round.
 */
const [space, noSpace] = [String.raw`\p{White_Space}`, String.raw`\P{White_Space}`];
const [upper, lower] = [String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`, String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`];
const contraction = "'(?:[sSſdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])";
const before = String.raw`[^\r\n\p{L}\p{N}]?`;
const signs = String.raw`\p{N}{1,3}| ?[^${space}\p{L}\p{N}]+`;
/** Expressions that split a text, made on first use: V8 looks up what is a letter as soon as an expression asks for one. */
const splits: Readonly<Record<ExactName, () => RegExp>> = {
  o200k_base: () =>
    new RegExp(
      String.raw`${before}${upper}*${lower}+(?:${contraction})?|${before}${upper}+${lower}*(?:${contraction})?|${signs}[\r\n/]*|${space}*[\r\n]+|${space}+(?!${noSpace})|${space}+`,
      "uy",
    ),
  cl100k_base: () =>
    new RegExp(
      String.raw`${contraction}|${before}\p{L}+|${signs}[\r\n]*|${space}+$|${space}*[\r\n]|${space}+(?!${noSpace})|${space}`,
      "uy",
    ),
};

/**
 * Maximum number of characters that are split at once, because V8 fails on a run of some millions of letters: a longer text is
 * counted in parts, each perhaps a token more.
 */
const maxSplitChars = 1_000_000;
/** Maximum number of characters of the texts whose lines are known: what is sent again has mostly the lines of before. */
const maxHeldChars = 2_000_000;
/** A character that is split together with the newline before it; after any other newline tokens are counted separately. */
const clings = /[/\s\u0085]/;

function lineEnd(text: string, start: number): number {
  let end = text.indexOf("\n", start) + 1;
  while (end > 0 && clings.test(text.charAt(end))) end = text.indexOf("\n", end) + 1;
  return Math.min(end === 0 ? text.length : end, start + maxSplitChars);
}

/**
 * Makes a counter that looks tokens up in the file of ranks itself: making strings of all of them would take six times as long.
 */
function createCounter(ranks: Uint8Array, split: RegExp): (text: string) => number {
  const findToken = indexRanks(ranks);
  const encoder = new TextEncoder();
  const usualRoom = createRoom(1024);
  let lines = new Map<string, number>();
  let held = 0;

  return (text) => {
    const before = lines.size;
    let total = 0;
    for (let start = 0, end = 0; start < text.length; start = end) {
      end = lineEnd(text, start);
      total += countLine(text.slice(start, end));
    }
    // A line holds the whole text that it was cut from.
    if (lines.size > before) held += text.length;
    if (held > maxHeldChars) [lines, held] = [new Map(), 0];
    return total;
  };

  function countLine(line: string): number {
    const count = lines.get(line) ?? countPart(line);
    lines.set(line, count);
    return count;
  }

  function countPart(text: string): number {
    let total = 0;
    for (let start = 0, end = 0; start < text.length; start = end) {
      split.lastIndex = start;
      split.test(text);
      end = split.lastIndex;
      const maxBytes = 3 * (end - start);
      const room = maxBytes <= usualRoom.bytes.length ? usualRoom : createRoom(maxBytes);
      const length = writeBytes(text, start, end, room.bytes);
      total += length === 1 || findToken(room.bytes, 0, length) > 0 ? 1 : countMerged(room, length);
    }
    return total;
  }

  function writeBytes(text: string, start: number, end: number, bytes: Uint8Array): number {
    for (let at = start; at < end; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 127) return encoder.encodeInto(text.slice(start, end), bytes).written;
      bytes[at - start] = unit;
    }
    return end - start;
  }

  /**
   * Merges the two neighbours that form the token of the lowest rank, the first such pair where there are several, until no pair
   * is a token.
   */
  function countMerged(room: Room, length: number): number {
    const { next, previous, pairRanks, queue } = room;
    let count = length;
    for (let start = 0; start < length; start++) {
      next[start] = start + 1;
      previous[start] = start - 1;
    }
    queue.clear();
    for (let start = 0; start < length; start++) addPair(room, start, length);
    for (let pair = queue.take(); pair >= 0; pair = queue.take()) {
      const rank = Math.floor(pair / maxPieceBytes);
      const start = pair - rank * maxPieceBytes;
      // Skips a pair whose parts changed since: one of them was merged.
      if (pairRanks[start] !== rank) continue;
      const merged = next[start] as number;
      const after = next[merged] as number;
      next[start] = after;
      previous[after] = start;
      pairRanks[merged] = noRank;
      count--;
      addPair(room, start, length);
      if (start > 0) addPair(room, previous[start] as number, length);
    }
    return count;
  }

  function addPair({ bytes, next, pairRanks, queue }: Room, start: number, length: number): void {
    const second = next[start] as number;
    const place = second < length ? findToken(bytes, start, next[second] as number) : 0;
    const rank = place === 0 ? noRank : readRank(place);
    pairRanks[start] = rank;
    if (rank !== noRank) queue.add(rank * maxPieceBytes + start);
  }

  function readRank(place: number): number {
    let rank = 0;
    for (let at = place; ranks[at] !== newline; at++) rank = rank * 10 + (ranks[at] as number) - zero;
    return rank;
  }
}

/** Factor above the bytes of `maxSplitChars`: a pair in the queue is its rank times this, plus the byte at which it begins. */
const maxPieceBytes = 2 ** 24;

/** Buffers for merging a piece of text: its bytes, the neighbours of each part, and the pairs that are tokens. */
type Room = {
  readonly bytes: Uint8Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;
  readonly pairRanks: Int32Array;
  readonly queue: Queue;
};

function createRoom(bytes: number): Room {
  const list = () => new Int32Array(bytes + 1);
  return { bytes: new Uint8Array(bytes), next: list(), previous: list(), pairRanks: list(), queue: createQueue() };
}

/** A binary heap that returns the lowest number first, and -1 when it is empty. */
type Queue = { readonly clear: () => void; readonly add: (item: number) => void; readonly take: () => number };

function createQueue(): Queue {
  const items: number[] = [];
  return {
    clear: () => {
      items.length = 0;
    },
    add: (item) => {
      let at = items.length;
      for (let parent = (at - 1) >> 1; at > 0 && (items[parent] as number) > item; parent = (at - 1) >> 1) {
        items[at] = items[parent] as number;
        at = parent;
      }
      items[at] = item;
    },
    take: () => {
      const [lowest, last] = [items[0] ?? -1, items.pop() as number];
      let at = 0;
      for (let child = 1; child < items.length; child = 2 * at + 1) {
        if ((items[child + 1] ?? Infinity) < (items[child] as number)) child++;
        if ((items[child] as number) >= last) break;
        items[at] = items[child] as number;
        at = child;
      }
      if (items.length > 0) items[at] = last;
      return lowest;
    },
  };
}

const noRank = -1;
const [newline, blank, zero, padding] = [10, 32, 48, 61];

/** Returns the offset in the file of the rank of the token with these bytes; 0 where there is no such token. */
type FindToken = (bytes: Uint8Array, start: number, end: number) => number;

/** Builds a hash table of the lines in a file of ranks; their base64 is hashed as it is, four characters at a time. */
function indexRanks(ranks: Uint8Array): FindToken {
  const file = new DataView(ranks.buffer, ranks.byteOffset, ranks.byteLength);
  const lines = new Uint32Array(2 ** 19);
  const mask = lines.length - 1;
  for (let at = 0; at < file.byteLength; at++) {
    const line = at + 1;
    let hash = 0;
    for (; file.getUint8(at) !== blank; at += 4) hash = mix(hash, file.getInt32(at));
    let slot = hash & mask;
    while (lines[slot] !== 0) slot = (slot + 1) & mask;
    lines[slot] = line;
    while (file.getUint8(at) !== newline) at++;
  }

  return (bytes, start, end) => {
    let hash = 0;
    for (let at = start; at < end; at += 3) hash = mix(hash, inBase64(bytes, at, end));
    for (let slot = hash & mask; lines[slot] !== 0; slot = (slot + 1) & mask) {
      let place = (lines[slot] as number) - 1;
      let at = start;
      for (; at < end && file.getInt32(place) === inBase64(bytes, at, end); at += 3) place += 4;
      if (at >= end && file.getUint8(place) === blank) return place + 1;
    }
    return 0;
  };
}

function mix(hash: number, characters: number): number {
  const mixed = Math.imul(hash ^ characters, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Pairs of base64 characters, by their twelve bits. */
const twoCharacters = Uint16Array.from(
  { length: 4096 },
  (_, bits) => (alphabet.charCodeAt(bits >> 6) << 8) | alphabet.charCodeAt(bits & 63),
);

/** Encodes three bytes, or the one or two that are left, as four base64 characters in one number. */
function inBase64(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] as number;
  const second = at + 1 < end ? (bytes[at + 1] as number) : 0;
  const opening = (twoCharacters[(first << 4) | (second >> 4)] as number) << 16;
  if (at + 2 < end) return opening | (twoCharacters[((second & 15) << 8) | (bytes[at + 2] as number)] as number);
  if (at + 1 < end) return opening | ((twoCharacters[(second & 15) << 8] as number) & 0xff00) | padding;
  return opening | (padding << 8) | padding;
}
