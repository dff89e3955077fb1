import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, type Extension, Text } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { nonce } from "../kit/window.ts";

export type Setup = {
  /** What it is called to whoever cannot see it. */
  readonly label: string;
  readonly describedBy?: string | undefined;
  readonly readOnly?: boolean;
};

/** Both sides of a comparison must give up at some point: a page that stands still is worse than a coarse picture. */
export const comparing = { scanLimit: 500, timeout: 100 };
export const folding = { margin: 2, minSize: 5 };

/**
 * What every editor here is made of: Markdown, wrapped lines, undo, search. Tab indents; after Escape it goes on to the
 * next control. What comes out are the very bytes that went in.
 */
export function setup(text: string, { label, describedBy, readOnly = false }: Setup): Extension {
  const end = lineEndOf(text);
  return [
    EditorView.cspNonce.of(nonce),
    EditorState.lineSeparator.of(end),
    EditorState.readOnly.of(readOnly),
    EditorView.clipboardInputFilter.of((words) => withLineEnds(words, end)),
    EditorView.contentAttributes.of({
      "aria-label": label,
      tabindex: "0",
      ...(describedBy === undefined ? {} : { "aria-describedby": describedBy }),
      ...(readOnly ? { "aria-readonly": "true" } : {}),
    }),
    EditorView.lineWrapping,
    EditorView.perLineTextDirection.of(true),
    highlightSpecialChars(),
    drawSelection(),
    history(),
    search({ top: true }),
    placeholder("Empty"),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
    colouring(text.length),
    look,
  ];
}

/** A paragraph is read as a whole: past this length that takes longer than a key press may. */
const longestColoured = 50_000;

/** Markdown in colours, as long as the text is short enough to keep up with whoever types. */
function colouring(length: number): Extension {
  const language = new Compartment();
  const colours = markdown({ base: markdownLanguage, completeHTMLTags: false, pasteURLAsLink: false });
  const short = (doc: Text) => doc.length <= longestColoured;
  return [
    language.of(length <= longestColoured ? colours : []),
    EditorState.transactionExtender.of(({ docChanged, startState, newDoc }) => {
      if (!docChanged || short(startState.doc) === short(newDoc)) return null;
      return { effects: language.reconfigure(short(newDoc) ? colours : []) };
    }),
  ];
}

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

/**
 * What parts the lines of a text, so that an editor gives back the very bytes it was given. Where both ends are mixed the
 * line feed does, and the other half stands in the text as a character that can be seen.
 */
export function lineEndOf(text: string): "\n" | "\r\n" {
  const feeds = text.split("\n").length - 1;
  const both = text.split("\r\n").length - 1;
  const returns = text.split("\r").length - 1;
  return feeds > 0 && feeds === both && both === returns ? "\r\n" : "\n";
}

/** Words from elsewhere (a clipboard) with the line ends of the text they come into. */
export function withLineEnds(words: string, end: "\n" | "\r\n"): string {
  return words.replace(/\r\n|\r|\n/g, end);
}

export type Replacement = { readonly from: number; readonly to: number; readonly insert: string };

/** The smallest stretch whose replacement makes one text the other: a cursor outside of it stays where it is. */
export function replacement(before: string, after: string): Replacement | undefined {
  if (before === after) return undefined;
  const max = Math.min(before.length, after.length);
  let from = 0;
  while (from < max && before.charCodeAt(from) === after.charCodeAt(from)) from++;
  let end = 0;
  while (end < max - from && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end))
    end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

export type Mirror = {
  /** Goes into the editor's setup. */
  readonly tells: Extension;
  /** The value outside is now this. What this editor said itself is not put into it again. */
  readonly shows: (view: EditorView, value: string) => void;
};

const fromOutside = Annotation.define<true>();

/**
 * Keeps an editor and a value outside of it the same, either way. The value comes back later than it was told, and by
 * then more may have been typed: words that this editor told are therefore known, and never overwrite newer ones.
 */
export function createMirror(onText: (text: string) => void, setupOf: (text: string) => Extension): Mirror {
  let told: string[] = [];
  const tells = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
    if (!docChanged || transactions.some((one) => one.annotation(fromOutside))) return;
    const text = state.sliceDoc();
    told.push(text);
    onText(text);
  });
  return {
    tells,
    shows: (view, value) => {
      const known = told.lastIndexOf(value);
      told = told.slice(known + 1);
      if (known !== -1 || value === view.state.sliceDoc()) return;
      told = [];
      if (lineEndOf(value) !== view.state.lineBreak)
        return view.setState(EditorState.create({ doc: value, extensions: setupOf(value) }));
      const found = replacement(view.state.doc.toString(), view.state.toText(value).toString());
      if (!found) return;
      const { from, to, insert } = found;
      const changes = { from, to, insert: Text.of(insert.split("\n")) };
      view.dispatch({ changes, annotations: fromOutside.of(true) });
    },
  };
}
