import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const color = (name: string) => `var(--color-${name})`;
const faint = (name: string, percent: number) => `color-mix(in srgb, ${color(name)} ${percent}%, transparent)`;

/** The page's own colours: they know by themselves whether it is day or night. */
const page = EditorView.theme({
  "&": { color: color("ink"), backgroundColor: color("card"), fontSize: "0.9rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.6" },
  ".cm-content": { padding: "0.75rem 0", caretColor: color("ink") },
  // Each line runs the way its own letters do, and none turns its neighbours around.
  ".cm-line": { padding: "0 0.9rem", unicodeBidi: "plaintext", textAlign: "start" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: color("ink"), borderLeftWidth: "1.5px" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: faint("accent", 25),
  },
  ".cm-refused, .cm-held": {
    textDecoration: "underline wavy",
    textDecorationSkipInk: "none",
    textUnderlineOffset: "3px",
  },
  ".cm-refused": { textDecorationColor: color("bad"), backgroundColor: faint("bad", 8) },
  ".cm-held": { textDecorationColor: color("wait"), backgroundColor: faint("wait", 8) },
  ".cm-tooltip": {
    maxWidth: "28rem",
    padding: "0.4rem 0.6rem",
    border: `1px solid ${color("line")}`,
    borderRadius: "6px",
    backgroundColor: color("card"),
    color: color("ink"),
    fontSize: "0.8rem",
    overflowWrap: "anywhere",
  },
  ".cm-placeholder": { color: color("soft") },
  ".cm-specialChar": { color: color("bad") },
  ".cm-gutters": { backgroundColor: "transparent", border: "none" },
  ".cm-panels": { backgroundColor: color("raised"), color: color("ink") },
  ".cm-panels.cm-panels-top": { borderBottom: `1px solid ${color("line")}` },
  ".cm-panel.cm-search": { padding: "0.5rem 2rem 0.5rem 0.75rem", fontSize: "0.8rem" },
  ".cm-textfield, .cm-button": {
    backgroundColor: color("card"),
    backgroundImage: "none",
    color: color("ink"),
    border: `1px solid ${color("line")}`,
    borderRadius: "4px",
  },
  ".cm-panel.cm-search [name=close]": { color: color("ink"), fontSize: "1.1rem", right: "0.5rem" },
  ".cm-searchMatch": { backgroundColor: faint("wait", 25) },
  ".cm-searchMatch-selected": { backgroundColor: faint("wait", 50) },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: faint("bad", 9) },
  "&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine": { backgroundColor: faint("good", 9) },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText, &.cm-merge-b .cm-deletedText": {
    background: faint("bad", 24),
    textDecoration: "none",
  },
  "&.cm-merge-b .cm-changedText": { background: faint("good", 24) },
  "&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter": { background: color("bad") },
  "&.cm-merge-b .cm-changedLineGutter, .cm-inlineChangedLineGutter": { background: color("good") },
  ".cm-deletedChunk": { paddingLeft: "0.9rem" },
  ".cm-collapsedLines": {
    color: color("soft"),
    background: color("raised"),
    "&:before": { content: '"⋯"' },
    "&:after": { content: '"⋯"' },
  },
});

const words = HighlightStyle.define([
  { tag: tags.heading, color: color("accent"), fontWeight: "600" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url], color: color("hand-user") },
  { tag: tags.monospace, color: color("live-ink") },
  { tag: tags.quote, color: color("soft") },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], color: color("soft") },
  { tag: [tags.tagName, tags.angleBracket, tags.attributeName, tags.comment], color: color("hand-agent") },
]);

export const look: Extension = [page, syntaxHighlighting(words)];
