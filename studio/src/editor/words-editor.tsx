import { unifiedMergeView } from "@codemirror/merge";
import { Compartment, EditorState, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  hoverTooltip,
  keymap,
  showTooltip,
  type Tooltip,
} from "@codemirror/view";
import { useEffect, useRef } from "react";
import { comparing, createMirror, folding, type Mirror, type Setup, setup } from "./setup.ts";
import type { Objection } from "./verdict.tsx";

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

type Shown = { readonly objections: readonly Objection[]; readonly marks: DecorationSet };

const put = StateEffect.define<readonly Objection[]>();

/** What is objected to; it moves along as one types, until the guards have looked again. */
const objected = StateField.define<Shown>({
  create: () => ({ objections: [], marks: Decoration.none }),
  update: (before, { effects, changes, docChanged, newDoc }) => {
    for (const effect of effects) if (effect.is(put)) return shownOf(effect.value, newDoc.length);
    if (!docChanged || before.objections.length === 0) return before;
    const moved = before.objections.map((one) => {
      return { ...one, from: changes.mapPos(one.from, 1), to: changes.mapPos(one.to, -1) };
    });
    return shownOf(moved, newDoc.length);
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ marks }) => marks),
    // Whoever is at such a place by the keyboard reads the reason as well.
    showTooltip.compute([field, "selection"], (state) => {
      const { head, empty } = state.selection.main;
      return empty ? tooltipAt(state.field(field).objections, head) : null;
    }),
  ],
});

function shownOf(all: readonly Objection[], length: number): Shown {
  const objections = all.filter(({ from, to }) => from < to && to <= length);
  const marks = objections.map(({ from, to, holds }) =>
    Decoration.mark({ class: holds ? "cm-held" : "cm-refused" }).range(from, to),
  );
  return { objections, marks: Decoration.set(marks, true) };
}

function tooltipAt(objections: readonly Objection[], at: number): Tooltip | null {
  const here = objections.filter(({ from, to }) => at >= from && at <= to);
  const [first] = here;
  if (!first) return null;
  return {
    pos: first.from,
    end: first.to,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "cm-objection";
      dom.setAttribute("role", "status");
      for (const { reason } of here) dom.appendChild(document.createElement("p")).textContent = reason;
      return { dom };
    },
  };
}

/** Underlines what guards object to, and says why where one points at it or stands in it. */
export const underline: Extension = [
  objected,
  hoverTooltip((view, at) => tooltipAt(view.state.field(objected).objections, at)),
  Prec.high(keymap.of([{ key: "F8", run: toNext }])),
];

/** To the next one, and from the last to the first. */
function toNext(view: EditorView): boolean {
  const { objections } = view.state.field(objected);
  const { head } = view.state.selection.main;
  const next = objections.find(({ from }) => from > head) ?? objections[0];
  if (!next) return false;
  view.dispatch({ selection: { anchor: next.from }, scrollIntoView: true });
  return true;
}

export function showObjections(view: EditorView, objections: readonly Objection[]): void {
  view.dispatch({ effects: put.of(objections) });
}
