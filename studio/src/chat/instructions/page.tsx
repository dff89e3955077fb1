import type { HistoryAnswer, OutcomeAnswer, SectionListAnswer } from "charter/answers";
import { useEffect, useRef, useState } from "react";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Button } from "../../kit/field.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { refresh, useFacts, useRead } from "../api/read.ts";
import { agentPath, sendJson, useAct } from "../api/request.ts";
import { Diff } from "../kit/diff.tsx";
import { Card, Empty, Loading, Page, Trouble, whenText } from "../kit/page.tsx";

/** The texts of the prompt that are this user's own. */
export function InstructionsPage() {
  const { agent } = useFacts();
  const { data, problem } = useRead<SectionListAnswer>(`${agentPath(agent.name, "sections")}?limit=1000`);
  const own = (data?.sections ?? []).filter(({ mutability }) => mutability === "amendable");
  return (
    <Page
      title="Instructions"
      about="What the assistant always keeps in mind when it talks with you. You and the assistant can change it. Every change is kept and can be undone."
    >
      <Trouble problem={problem} again={refresh} />
      {!data && !problem && <Loading />}
      {data && own.length === 0 && <Empty title="This assistant has no instructions that you can change" />}
      <div className="space-y-8">
        {own.map((section) => (
          <SectionCard key={section.name} section={section} alone={own.length === 1} />
        ))}
      </div>
    </Page>
  );
}

export type Section = SectionListAnswer["sections"][number];

/** “## User Instructions” as people read it. */
const titleOf = ({ heading, name }: Section): string => heading?.replace(/^#+\s*/, "") || name;

/** One text: as it is, to be changed, and how it came to be. */
function SectionCard({ section, alone }: { readonly section: Section; readonly alone: boolean }) {
  const [editing, setEditing] = useState(false);
  const [told, setTold] = useState("");
  const can = section.amendableBy.includes("user");
  const text = section.text ?? "";
  return (
    <div className="space-y-6">
      <Card label={titleOf(section)}>
        {!alone && <h2 className="mb-2 font-semibold">{titleOf(section)}</h2>}
        {editing ? (
          <SectionEditor
            section={section}
            onDone={(words) => {
              setEditing(false);
              setTold(words);
            }}
          />
        ) : (
          <>
            {text.trim() === "" ? (
              <p className="text-soft">Nothing yet. For example: “Answer briefly. Call me Bo.”</p>
            ) : (
              <LongText text={text} max={4000} />
            )}
            {can && (
              <div className="mt-4 flex flex-wrap items-center gap-3">
                <Button
                  onClick={() => {
                    setTold("");
                    setEditing(true);
                  }}
                >
                  {text.trim() === "" ? "Write instructions" : "Edit"}
                </Button>
                <p role="status" className="text-good text-sm">
                  {told}
                </p>
              </div>
            )}
            {!can && <p className="mt-3 text-sm text-soft">Only the assistant and whoever runs it can change this.</p>}
          </>
        )}
      </Card>
      <SectionHistory section={section} onTold={setTold} />
    </div>
  );
}

/** Both texts, where somebody else changed it meanwhile. */
type Texts = { readonly text: string; readonly revision: number };

const saved: Readonly<Record<string, string>> = {
  accepted: "Saved. It applies from the next message on.",
  unchanged: "Nothing was changed.",
  held: "It applies once it is approved. See “Waiting for you”.",
};

type SectionEditorProps = { readonly section: Section; readonly onDone: (told: string) => void };

/** Changes a text. What the checks object to is said here, and what was typed stays. */
function SectionEditor({ section, onDone }: SectionEditorProps) {
  const { agent, user } = useFacts();
  const [draft, setDraft, settled] = useDraft(placeOfDraft("chat", agent.name, user, "section", section.name));
  const [revision, setRevision] = useState(section.revision ?? 0);
  const { busy, problem, run, clear } = useAct();
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const text = draft ?? section.text ?? "";
  const save = async (against: number) => {
    const body = { section: section.name, operation: { kind: "rewrite", content: text }, revision: against };
    const outcome = await run(() => sendJson<OutcomeAnswer>(agentPath(agent.name, "proposals"), body));
    if (!outcome) return;
    // What was typed meanwhile stays, to be saved over this.
    if (settled(draft)) onDone(saved[outcome.verdict] ?? "");
    else setRevision(outcome.revision ?? against);
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

type Amendment = HistoryAnswer["amendments"][number];

const stretch = 10;

type SectionHistoryProps = { readonly section: Section; readonly onTold: (words: string) => void };

/** Every change of a text, the newest first, each with what it changed; any of them can be gone back to. */
export function SectionHistory({ section, onTold }: SectionHistoryProps) {
  const { agent } = useFacts();
  const [limit, setLimit] = useState(stretch);
  const path = agentPath(agent.name, "sections", section.name);
  const { data } = useRead<HistoryAnswer>(`${path}/history?limit=${limit}`);
  const { busy, problem, run } = useAct();
  if (!data || data.amendments.length === 0) return null;
  const can = section.amendableBy.includes("user");
  const goBack = async (to: number, told: string) => {
    const done = await run(() => sendJson(`${path}/revert`, { to, revision: section.revision ?? 0 }));
    if (done) onTold(told);
  };
  const [newest] = data.amendments;
  return (
    <section aria-label="Changes">
      <h2 className="mb-3 font-semibold">Changes</h2>
      <Trouble problem={problem} />
      <ol className="space-y-4">
        {data.amendments.map((one) => (
          <li key={one.revision} className="space-y-2">
            <div className="flex items-baseline justify-between gap-x-4">
              <p className="text-sm">
                {whoWords(one)} <span className="text-soft">· {whenText(one.at)}</span>
              </p>
              {can && one.after !== null && (
                <Button
                  kind="quiet"
                  className="-my-1 -me-3 shrink-0"
                  disabled={busy}
                  onClick={() =>
                    one === newest
                      ? goBack(one.revision - 1, "The change was undone.")
                      : goBack(one.revision, `Back to the text of ${whenText(one.at)}.`)
                  }
                >
                  {one === newest ? "Undo" : "Go back to this"}
                </Button>
              )}
            </div>
            {one.before === null || one.after === null ? (
              <p className="text-sm text-soft">The text was deleted.</p>
            ) : (
              <Diff before={one.before} after={one.after} max={12} />
            )}
          </li>
        ))}
      </ol>
      {data.more && limit < 100 && (
        <Button kind="quiet" className="mt-3" onClick={() => setLimit(Math.min(100, limit + 3 * stretch))}>
          Show earlier changes
        </Button>
      )}
    </section>
  );
}

const who = { user: "You", agent: "The assistant", operator: "Whoever runs the assistant" } as const;

function whoWords({ actor, operation }: Amendment): string {
  const back = operation === "revert" || operation === "reset";
  return back ? `${who[actor]} went back to an earlier text` : who[actor];
}

type StaleChoiceProps = {
  readonly theirs: string;
  readonly mine: string;
  readonly onTheirs: () => void;
  readonly onMine: () => void;
};

/** The text was changed while one was writing: which of both is to hold. */
function StaleChoice({ theirs, mine, onTheirs, onMine }: StaleChoiceProps) {
  return (
    <div role="alert" className="space-y-2 rounded-xl border border-wait/40 p-3">
      <p className="text-sm">The text was changed while you were writing. This is how yours differs from it now:</p>
      <Diff before={theirs} after={mine} />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" onClick={onMine}>
          Save mine
        </Button>
        <Button onClick={onTheirs}>Keep the other</Button>
      </div>
    </div>
  );
}
