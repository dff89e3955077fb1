import type { OutcomeAnswer } from "charter/answers";
import { useEffect, useRef, useState } from "react";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Button } from "../../kit/field.tsx";
import { useAct } from "../api/act.ts";
import { useFacts } from "../api/page-facts.ts";
import { agentPath, sendJson } from "../api/request.ts";
import { Trouble } from "../kit/trouble.tsx";
import type { Section } from "./section-card.tsx";
import { StaleChoice } from "./stale-choice.tsx";

/** Both texts, where somebody else changed it meanwhile. */
type Texts = { readonly text: string; readonly revision: number };

const saved: Readonly<Record<string, string>> = {
  accepted: "Saved. It applies from the next message on.",
  unchanged: "Nothing was changed.",
  held: "It applies once it is approved. See “Waiting for you”.",
};

/** Changes a text. What the checks object to is said here, and what was typed stays. */
export function SectionEditor({
  section,
  onDone,
}: {
  readonly section: Section;
  readonly onDone: (told: string) => void;
}) {
  const { agent, user } = useFacts();
  const [draft, setDraft] = useDraft(placeOfDraft("chat", agent.name, user, "section", section.name));
  const [revision, setRevision] = useState(section.revision ?? 0);
  const { busy, problem, run, clear } = useAct();
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const text = draft ?? section.text ?? "";
  const save = async (against: number) => {
    const body = { section: section.name, operation: { kind: "rewrite", content: text }, revision: against };
    const outcome = await run(() => sendJson<OutcomeAnswer>(agentPath(agent.name, "proposals"), body));
    if (!outcome) return;
    setDraft(undefined);
    onDone(saved[outcome.done.verdict] ?? "");
  };
  const standing =
    problem?.error.code === "stale" ? (problem.error as { readonly standing?: Texts }).standing : undefined;
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        void save(revision);
      }}
    >
      <textarea
        ref={box}
        aria-label="Your instructions"
        dir="auto"
        rows={Math.min(18, Math.max(6, text.split("\n").length + 1))}
        value={text}
        onChange={({ target }) => setDraft(target.value)}
        className="w-full rounded-lg border border-line bg-paper px-3 py-2 leading-6"
      />
      {problem && !standing && <Trouble problem={problem} />}
      {standing && (
        <StaleChoice
          theirs={standing.text}
          mine={text}
          onTheirs={() => {
            setDraft(undefined);
            setRevision(standing.revision);
            clear();
          }}
          onMine={() => {
            setRevision(standing.revision);
            void save(standing.revision);
          }}
        />
      )}
      {!standing && (
        <div className="flex flex-wrap gap-2">
          <Button type="submit" kind="primary" disabled={busy}>
            Save
          </Button>
          <Button
            onClick={() => {
              setDraft(undefined);
              onDone("");
            }}
          >
            Cancel
          </Button>
        </div>
      )}
    </form>
  );
}
