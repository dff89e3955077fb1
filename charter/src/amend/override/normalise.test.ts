import { describe, expect, it } from "vitest";
import { GAP, skeletonOf, splitWords, tagText, type Word } from "./normalise.ts";

const read = (text: string): readonly Word[] => [...splitWords(text)];
const plain = (text: string): readonly string[] => read(text).map((word) => word.plain);
const folded = (text: string): readonly string[] => read(text).map((word) => word.folded);

describe("normalised words", () => {
  it("carry their place in the original and what stands before them", () => {
    expect(read("Go on, now.\n\n# End")).toEqual([
      { plain: "go", folded: "go", start: 0, end: 2, gap: GAP.stop | GAP.line },
      { plain: "on", folded: "on", start: 3, end: 5, gap: 0 },
      { plain: "now", folded: "now", start: 7, end: 10, gap: GAP.comma },
      { plain: "end", folded: "end", start: 15, end: 18, gap: GAP.stop | GAP.line | GAP.heading },
    ]);
  });

  it("are lower case, without accents and in compatibility form", () => {
    expect(plain("ÉCOLE Straße Łódź ﬁne ２１")).toEqual(["ecole", "strasse", "lodz", "fine", "21"]);
  });

  it("lose invisible characters and stacked marks, and keep their whole span", () => {
    expect(read("r\u200bu\u00adl\ufe0fe\u0335\u0336")).toEqual([
      { plain: "rule", folded: "ruie", start: 0, end: 7, gap: GAP.stop | GAP.line },
    ]);
  });

  it("fold look-alikes of other scripts beside the unfolded word", () => {
    expect([plain("правила"), folded("rulеs"), folded("ᴘʀɪᴏʀ"), folded("Ꮪʏꜱᴛᴇᴍ")]).toEqual([
      ["правила"],
      ["ruies"],
      ["prior"],
      ["system"],
    ]);
  });

  it("fold digits and signs inside words and leave a sign at the end alone", () => {
    expect([folded("1gn0re"), folded("$y5tem"), plain("stop!")]).toEqual([["ignore"], ["system"], ["stop"]]);
  });

  it("join letters spread by spaces, dots or dashes, and part them at a wider gap", () => {
    expect([plain("r u l e s"), plain("r.u.l.e.s"), plain("r-u-l-e-s"), plain("r u l e s  h e r e")]).toEqual([
      ["rules"],
      ["rules"],
      ["rules"],
      ["rules", "here"],
    ]);
  });

  it("leave a few single letters as they are", () => {
    expect(plain("a b c or I")).toEqual(["a", "b", "c", "or", "i"]);
  });

  it("come one by one where a script has no spaces", () => {
    expect(plain("忽略 指令ｶﾅ")).toEqual(["忽", "略", "指", "令", "カ", "ナ"]);
  });

  it("keep English contractions whole and part French elisions", () => {
    expect(plain("don’t l'ordre")).toEqual(["dont", "l", "ordre"]);
  });

  it("tell a sentence's end from a dot inside a name", () => {
    expect(read("node.js runs. Next").map((word) => word.gap & GAP.stop)).toEqual([GAP.stop, 0, 0, GAP.stop]);
  });

  it("mark the items of a list, numbered or not", () => {
    expect(read("so:\n- a1\n2. b2").map((word) => word.gap & GAP.item)).toEqual([0, GAP.item, 0, GAP.item]);
  });

  it("are none in an empty text", () => {
    expect(read("")).toEqual([]);
  });
});

describe("a skeleton", () => {
  it("is the same for a word and its disguise", () => {
    expect([skeletonOf("rules"), skeletonOf("ru1e5"), skeletonOf("гules")]).toEqual(["ruies", "ruies", "ruies"]);
  });
});

describe("words in tag characters", () => {
  it("are spelled out at the places where they stand", () => {
    expect(tagText("a\u{e0068}\u{e0069}b")).toBe("\u200bh\u200bi\u200b\u200b");
  });

  it("are undefined where a text has none", () => {
    expect(tagText("plain")).toBeUndefined();
  });
});

/** Each word as plain=folded@start-end:gaps. */
const words: readonly (readonly [text: string, words: string])[] = [
  ["a,b;c:d e", "abcde@0-9:stop+line"],
  ["one (two) three", "one@0-3:stop+line two@5-8:comma three@10-15:comma"],
  ["\"one\" 'two' «three»", "one@1-4:quote+stop+line two@7-10:quote three@13-18:quote"],
  ["a! b? c\u{3002}d", "abcd@0-9:stop+line"],
  ["# one\n## two", "one@2-5:stop+line+heading two@9-12:stop+line+heading"],
  [
    "- one\n* two\n+ three\n• four\n> five\n| six",
    "one@2-5:stop+line+item two@8-11:line+item three@14-19:line+item four@22-26:line+item five@29-33:line+item six@36-39:line+item",
  ],
  ["1. one\n2) two\n3 three", "1=i@0-1:stop+line one@3-6:item 2@7-8:line two@10-13:item 3=e@14-15:line three@16-21"],
  ["one. two", "one@0-3:stop+line two@5-8:stop"],
  ["one.) two", "one@0-3:stop+line two@6-9:comma+stop"],
  ["one.two", "one@0-3:stop+line two@4-7"],
  ["e.g. one", "e@0-1:stop+line g@2-3 one@5-8:stop"],
  ["a\n\nb", "a@0-1:stop+line b@3-4:stop+line"],
  ["a\u{2028}\u{2029}b", "a@0-1:stop+line b@3-4:stop+line"],
  [
    "it's don't l'un he'd we'll they've I'm",
    "its@0-4:stop+line dont@5-10 l=i@11-12 un@13-15:quote hed@16-20 well=weii@21-26 theyve@27-34 im@35-38",
  ],
  ["rock'n roll", "rock@0-4:stop+line n@5-6:quote roll=roii@7-11"],
  ["a|b", "a@0-1:stop+line b@2-3:item"],
  ["$ave 5ave !go go! w0rd", "ave=save@0-4:stop+line 5ave=save@5-9 go=igo@10-13 go@14-16 w0rd=word@18-22:stop"],
  ["\u{1f1e9}\u{1f1ea} \u{1f150}\u{1f151} \u{1f170}", "de@0-4:stop+line ab@5-9 a@10-12"],
  ["か\u{3099}が", "か@0-1:stop+line が@2-3"],
  ["\u{ff71}\u{ff9e}", "ア@0-1:stop+line"],
  ["a\u{301}e\u{335}", "ae@0-3:stop+line"],
  ["x\u{ad}y", "xy@0-3:stop+line"],
  ["ﬁ ² ½", "fi@0-1:stop+line 2@2-3 1⁄2=i⁄2@4-5"],
  ["İI ıi", "ii@0-2:stop+line ii@3-5"],
  ["a b c", "a@0-1:stop+line b@2-3 c@4-5"],
  ["a b c d", "abcd@0-7:stop+line"],
  ["a  b  c  d", "abcd@0-10:stop+line"],
  ["a b c  d e f g", "a@0-1:stop+line b@2-3 c@4-5 defg@7-14"],
  ["1 2 3 4", "1=i@0-1:stop+line 2@2-3 3=e@4-5 4=a@6-7"],
  ["1 2 3 a", "1=i@0-1:stop+line 2@2-3 3=e@4-5 a@6-7"],
  ["a-b-c-d", "abcd@0-7:stop+line"],
  ["a.b.c.d", "abcd@0-7:stop+line"],
  ["a b c d.", "abcd@0-7:stop+line"],
  ["ab c d e f gh", "ab@0-2:stop+line cdef@3-10 gh@11-13"],
  ["ß æ œ ø đ ł ħ", "ss@0-1:stop+line ae@2-3 oe@4-5 odlh@6-13"],
  ["\u{661}\u{662}", "\u{661}\u{662}@0-2:stop+line"],
  ["\u{627}\u{64e}\u{628}", "\u{627}\u{628}@0-3:stop+line"],
  ["\u{915}\u{93e}", "\u{915}\u{93e}@0-2:stop+line"],
  ["\u{e44}\u{e17}\u{e22}", "\u{e44}@0-1:stop+line \u{e17}@1-2 \u{e22}@2-3"],
  ["한국", "한@0-1:stop+line 국@1-2"],
  ["a… b", "a@0-1:stop+line b@3-4"],
  ["a — b – c", "a@0-1:stop+line b@4-5:comma c@8-9:comma"],
  ["a → b; c", "a@0-1:stop+line b@4-5:comma c@7-8:comma"],
  ["x*y_z", "x@0-1:stop+line y@2-3 z@4-5"],
  ["tag\u{e0041}\u{e0042}", "tag@0-3:stop+line"],
  ["a\tb\u{a0}c", "a@0-1:stop+line b@2-3 c@4-5"],
  ["!ignore", "ignore=iignore@0-7:stop+line"],
  ["a!b", "a@0-1:stop+line b@2-3:stop"],
  ["1gn0re", "1gn0re=ignore@0-6:stop+line"],
  ["@t", "t=at@0-2:stop+line"],
  ["€uro", "uro=euro@0-4:stop+line"],
  ["a/b", "a@0-1:stop+line b@2-3"],
];
describe("words, one by one", () => {
  it.each(words)("of %j", (text, expected) => {
    const shown = read(text).map(({ plain: own, folded: other, start, end, gap }) => {
      const gaps = Object.entries(GAP).flatMap(([name, flag]) => ((gap & flag) === 0 ? [] : [name]));
      return `${own}${other === own ? "" : `=${other}`}@${start}-${end}${gaps.length === 0 ? "" : `:${gaps.join("+")}`}`;
    });
    expect(shown.join(" ")).toBe(expected);
  });
});
