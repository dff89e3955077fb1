import { Annotation, EditorState, type Extension, Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { lineEndOf, replacement } from "./line-ends.ts";

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
