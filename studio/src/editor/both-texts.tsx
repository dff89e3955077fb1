import { MergeView } from "@codemirror/merge";
import type { Extension } from "@codemirror/state";
import { useEffect, useRef } from "react";
import { comparing, createMirror, folding, type Mirror, setup } from "./setup.ts";

export type BothTextsProps = {
  readonly theirs: string;
  readonly mine: string;
  readonly onMine: (text: string) => void;
  readonly labels: { readonly theirs: string; readonly mine: string };
};

/** Two texts side by side, of which the right one is edited; an arrow beside each difference takes theirs over. */
export default function BothTexts(props: BothTextsProps) {
  const { theirs, mine } = props;
  const host = useRef<HTMLDivElement>(null);
  const open = useRef<{ readonly view: MergeView; readonly mirror: Mirror }>(undefined);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const { mine: text, labels } = latest.current;
    const right = (words: string): Extension => [setup(words, { label: labels.mine }), mirror.tells];
    const mirror = createMirror((words) => latest.current.onMine(words), right);
    const view = new MergeView({
      a: { doc: theirs, extensions: setup(theirs, { label: labels.theirs, readOnly: true }) },
      b: { doc: text, extensions: right(text) },
      parent: host.current as HTMLElement,
      revertControls: "a-to-b",
      renderRevertControl: takesTheirs,
      diffConfig: comparing,
      collapseUnchanged: folding,
    });
    open.current = { view, mirror };
    return () => view.destroy();
  }, [theirs]);
  useEffect(() => {
    const { view, mirror } = open.current as { view: MergeView; mirror: Mirror };
    mirror.shows(view.b, mine);
  }, [mine]);
  return (
    <div ref={host} className="[&_.cm-merge-b]:border-line [&_.cm-merge-b]:border-l [&_.cm-mergeView]:max-h-[60dvh]" />
  );
}

function takesTheirs(): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "→";
  button.title = "Use theirs here";
  button.setAttribute("aria-label", "Use theirs here");
  return button;
}
