import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, type Text } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, placeholder } from "@codemirror/view";
import { nonce } from "../kit/window.ts";
import { lineEndOf, withLineEnds } from "./line-ends.ts";
import { look } from "./look.ts";

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
