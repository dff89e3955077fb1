/** Flags for the signs between a word and the one before it. */
export const GAP = { comma: 1, colon: 2, quote: 4, stop: 8, line: 16, item: 32, heading: 64 } as const;

/**
 * A word of a text, as a person reads it: `plain` is lower case without accents and invisible characters; `folded` also has
 * look-alike letters and digits turned into Latin ones. `start` and `end` point into the original.
 */
export type Word = {
  readonly plain: string;
  readonly folded: string;
  readonly start: number;
  readonly end: number;
  readonly gap: number;
};

type Glyph = {
  readonly kind: "letter" | "ideograph" | "space" | "hidden" | "sign";
  readonly plain: string;
  readonly folded: string;
};

// Groups of a Latin letter and everything that passes for it. Upper case is listed separately where it looks like another.
const lookAlikes =
  "aаαɑᴀꭺᎪ4@ɐ bвьβʙᏴᏏ8ƅ cсϲᴄᏟⲥ dԁᴅᎠժɗδ eеєεзᴇᎬ3ҽǝ€ fꜰғϝք gɡɢցᏀԍ96ǥ hһнʜհᎻᏂΗҺ iіιɪᎥӏ1!lʟᏞⅼɩ¡լ jјᴊᎫϳ kкκᴋᏦƙ mмᴍᎷΜɯ " +
  "nпηɴոΝղŋ oоοσᴏօ0θⲟ pрρᴘᏢΡþ qԛզգ rгʀᏒᎡɾɹ sѕꜱᏚ5$տ tтτᴛᎢ7ŧʇ uυᴜսμ vνѵᴠᏙʋ wωᴡԝᎳшѡʍ xхχҳ yуγʏᎩΥүყʎ zᴢᏃζʐ";
const foldOf = new Map<string, string>();
for (const group of lookAlikes.split(" ")) for (const other of group.slice(1)) foldOf.set(other, group.slice(0, 1));

// Letters that Unicode does not take apart, though every reader does.
const plainOf: Readonly<Record<string, string>> = { ø: "o", đ: "d", ł: "l", ı: "i", ħ: "h", ß: "ss", æ: "ae", œ: "oe" };
// Accents, and the vowel signs that Hebrew and Arabic writers leave out; other scripts cannot be read without theirs.
const strippedMarks = /[\p{sc=Inherited}\p{sc=Hebrew}\p{sc=Arabic}]/u;
const mark = /\p{M}/u;
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}々ー]/u;
const composed = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\uff00-\uffef]/u;
const hidden = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u0640\u2800]|(?!\s)\p{Cc}/u;
const glyphs = new Map<number, Glyph>();
/** Cached glyphs of the first code points, which most text consists of. */
const nearGlyphs: (Glyph | undefined)[] = new Array(0x600).fill(undefined);

function readGlyph(code: number): Glyph {
  const raw = String.fromCodePoint(code);
  if (hidden.test(raw)) return { kind: "hidden", plain: "", folded: "" };
  if (/\s/u.test(raw)) return { kind: "space", plain: " ", folded: " " };
  // Regional indicators and white-on-black letters, which compatibility forms leave alone.
  const boxed = code >= 0x1f1e6 && code <= 0x1f1ff ? 0x1f1e6 : code >= 0x1f150 && code <= 0x1f189 ? 0x1f150 : 0;
  const text = boxed === 0 ? raw : String.fromCharCode(97 + ((code - boxed) % 32));
  const open = composed.test(text) ? text.normalize("NFKC") : unmarked(text.normalize("NFKD"));
  if (open === "" || open === "\u3099" || open === "\u309a") return { kind: "hidden", plain: "", folded: "" };
  const lower = open.toLowerCase();
  if (!/[\p{L}\p{N}\p{M}]/u.test(lower)) return { kind: "sign", plain: open, folded: foldOf.get(open) ?? "" };
  const plain = Array.from(lower, (letter) => plainOf[letter] ?? letter).join("");
  const folded = Array.from(open, (letter) => foldOf.get(letter) ?? foldOf.get(letter.toLowerCase()) ?? letter);
  return { kind: unspaced.test(lower) ? "ideograph" : "letter", plain, folded: skeletonOf(folded.join("")) };
}

function unmarked(text: string): string {
  return Array.from(text, (letter) => (mark.test(letter) && strippedMarks.test(letter) ? "" : letter)).join("");
}

function glyphAt(code: number): Glyph {
  const known = code < nearGlyphs.length ? nearGlyphs[code] : glyphs.get(code);
  if (known !== undefined) return known;
  const glyph = readGlyph(code);
  if (code < nearGlyphs.length) nearGlyphs[code] = glyph;
  else glyphs.set(code, glyph);
  return glyph;
}

/** Returns a form in which a look-alike equals the letter it imitates; `l`, `i` and `1` cannot be told apart. */
export function skeletonOf(word: string): string {
  let skeleton = "";
  for (const letter of word.toLowerCase()) skeleton += foldOf.get(letter) ?? plainOf[letter] ?? letter;
  return skeleton;
}

/** Decodes words hidden in invisible tag characters; undefined when there are none. */
export function tagText(text: string): string | undefined {
  if (!/[\u{e0020}-\u{e007e}]/u.test(text)) return undefined;
  // Replaces each character by as many units, so that indices into the result are indices into the text.
  return text.replace(/./gsu, (unit) => {
    const code = unit.codePointAt(0) ?? 0;
    if (code >= 0xe0020 && code <= 0xe007e) return `${String.fromCharCode(code - 0xe0000)}\u200b`;
    return unit.length === 2 ? "\u200b\u200b" : "\u200b";
  });
}

const flagOf: Readonly<Record<string, number>> = {
  ",": GAP.comma,
  "،": GAP.comma,
  "、": GAP.comma,
  "(": GAP.comma,
  ")": GAP.comma,
  "—": GAP.comma,
  "–": GAP.comma,
  ";": GAP.comma,
  "→": GAP.comma,
  ":": GAP.colon,
  "!": GAP.stop,
  "?": GAP.stop,
  "。": GAP.stop,
  "؟": GAP.stop,
  "।": GAP.stop,
  "…": GAP.comma,
  '"': GAP.quote,
  "“": GAP.quote,
  "”": GAP.quote,
  "„": GAP.quote,
  "«": GAP.quote,
  "»": GAP.quote,
  "「": GAP.quote,
  "『": GAP.quote,
  "」": GAP.quote,
  "`": GAP.quote,
  "'": GAP.quote,
  "‘": GAP.quote,
  "’": GAP.quote,
};
const contraction = /^['’](?:t|s|re|ve|ll|d|m)(?![a-z])/iu;

/** Splits a text into its words in one pass; single letters spread by spaces, dots or dashes come as one word. */
export function* splitWords(text: string): Generator<Word> {
  let spread: Word[] = [];
  for (const word of piecesOf(text)) {
    const last = spread.at(-1);
    const single = word.plain.length === 1 && word.folded >= "a" && word.folded <= "z";
    const first = spread[1];
    const width = first === undefined || last === undefined ? 3 : first.start - (spread[0]?.end ?? 0);
    if (single && (last === undefined || (word.start - last.end <= width && spread.length < 256))) {
      spread.push(word);
      continue;
    }
    if (spread.length > 0) yield* joined(spread);
    spread = single ? [word] : [];
    if (!single) yield word;
  }
  if (spread.length > 0) yield* joined(spread);
}

const isDigit = (sign: string): boolean => sign >= "0" && sign <= "9";

function* joined(spread: readonly Word[]): Generator<Word> {
  const first = spread[0];
  const last = spread.at(-1);
  if (first === undefined || last === undefined || spread.length < 4 || spread.every(({ plain }) => isDigit(plain))) {
    yield* spread;
    return;
  }
  const plain = spread.map((word) => word.plain).join("");
  yield {
    plain,
    folded: spread.map((word) => word.folded).join(""),
    start: first.start,
    end: last.end,
    gap: first.gap,
  };
}

function* piecesOf(text: string): Generator<Word> {
  let plain = "";
  let folded = "";
  let start = 0;
  let end = 0;
  let gap = GAP.stop | GAP.line;
  let numbered = false;
  for (let index = 0; index < text.length; ) {
    const code = text.codePointAt(index) ?? 0;
    const next = index + (code > 0xffff ? 2 : 1);
    const glyph = glyphAt(code);
    const inside = folded !== "";
    const leet = glyph.kind === "sign" && glyph.folded !== "" && isLetter(text, next) && (code !== 33 || !inside);
    if (glyph.kind === "letter" || leet) {
      if (!inside) start = index;
      // Reads a sign before a word both ways, as a letter and as none: `!ignore` is "ignore" too.
      if (glyph.kind === "letter" || plain !== "") plain += glyph.plain;
      folded += glyph.folded;
      end = next;
      index = next;
      continue;
    }
    const apostrophe = code === 0x27 || code === 0x2019;
    const kept = glyph.kind === "hidden" || (inside && apostrophe && contraction.test(text.slice(index, index + 4)));
    if (kept) {
      index = next;
      continue;
    }
    if (inside) {
      numbered = (gap & GAP.line) !== 0 && /^\d+$/u.test(plain);
      yield { plain, folded, start, end, gap };
      plain = "";
      folded = "";
      gap = 0;
    }
    if (glyph.kind === "ideograph") {
      yield { plain: glyph.plain, folded: glyph.plain, start: index, end: next, gap };
      gap = 0;
    } else if (glyph.kind === "space") {
      if (code === 10 || code === 0x2028 || code === 0x2029) gap |= (gap & GAP.line) === 0 ? GAP.line : GAP.stop;
    } else gap |= signFlag(text, index, glyph.plain, gap, numbered);
    index = next;
  }
  if (folded !== "") yield { plain, folded, start, end, gap };
}

function signFlag(text: string, index: number, sign: string, gap: number, numbered: boolean): number {
  if ((gap & GAP.line) !== 0) {
    if (sign === "#") return GAP.heading | GAP.stop;
    if ("-*+•|>".includes(sign)) return GAP.item;
  }
  if (sign === "|") return GAP.item;
  if (numbered && (sign === "." || sign === ")")) return GAP.item;
  if (sign === ".") return /^\.["'”’)\]*_]*(?:\s|$)/u.test(text.slice(index, index + 6)) ? GAP.stop : 0;
  return flagOf[sign] ?? 0;
}

function isLetter(text: string, index: number): boolean {
  const code = text.codePointAt(index);
  return code !== undefined && glyphAt(code).kind === "letter";
}
