import { unifiedMergeView } from "@codemirror/merge";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { createMirror, type Mirror } from "./mirror.ts";
import type { Objection } from "./objection.ts";
import { comparing, folding, type Setup, setup } from "./setup.ts";
import { showObjections, underline } from "./underline.ts";

export type WordsEditorProps = Setup & {
  readonly value: string;
  readonly onText: (text: string) => void;
  /** The words to mark changes against, in the text itself; without them nothing is marked. */
  readonly against?: string | undefined;
  /** What is the same on both sides is folded away. */
  readonly folded?: boolean;
  /** What is objected to in these very words. */
  readonly objections?: readonly Objection[] | undefined;
  readonly className?: string;
};

const noObjections: readonly Objection[] = [];

type Open = { readonly view: EditorView; readonly mirror: Mirror; readonly marks: Compartment };

/** An editor for a section's words. Comes with its libraries only where something is edited: import it lazily. */
export default function WordsEditor(props: WordsEditorProps) {
  const { value, against, folded = false, objections = noObjections, className = "" } = props;
  const host = useRef<HTMLDivElement>(null);
  const open = useRef<Open>(undefined);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const marks = new Compartment();
    const extensions = (text: string): Extension => [
      setup(text, latest.current),
      mirror.tells,
      underline,
      marks.of(marksAgainst(latest.current.against, latest.current.folded)),
    ];
    const mirror = createMirror((text) => latest.current.onText(text), extensions);
    const { value: text } = latest.current;
    const state = EditorState.create({ doc: text, extensions: extensions(text) });
    const view = new EditorView({ state, parent: host.current as HTMLElement });
    open.current = { view, mirror, marks };
    return () => view.destroy();
  }, []);
  useEffect(() => {
    open.current?.mirror.shows(open.current.view, value);
  }, [value]);
  useEffect(() => {
    open.current?.view.dispatch({ effects: open.current.marks.reconfigure(marksAgainst(against, folded)) });
  }, [against, folded]);
  useEffect(() => {
    if (open.current) showObjections(open.current.view, objections);
  }, [objections]);
  return <div ref={host} className={className} />;
}

function marksAgainst(original: string | undefined, folded = false): Extension {
  if (original === undefined) return [];
  const marks = { original, mergeControls: false, allowInlineDiffs: true, diffConfig: comparing };
  return unifiedMergeView(folded ? { ...marks, collapseUnchanged: folding } : marks);
}
