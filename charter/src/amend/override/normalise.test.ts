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
