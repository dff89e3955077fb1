import type { NoteListAnswer } from "charter/answers";
import { useState } from "react";
import { encodeName, request, withQuery } from "../../api/request.ts";
import { FormDialog, Sure, useAct } from "../../app/form-dialog.tsx";
import { Card, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { Button, Field, Textarea } from "../../kit/field.tsx";
import { Badge } from "../../kit/icon.tsx";
import { Fence, LongText } from "../../kit/text/long-text.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { timeText } from "../../kit/words.ts";

type Note = NoteListAnswer["notes"][number];

/**
 * One note. What is forgotten is gone, so it is asked twice: adding it again would make own words of foreign ones, since
 * nobody would know any more in which turn they were written.
 */
export function NoteCard({ agent, note }: { readonly agent: string; readonly note: Note }) {
  const { id, key, text, tainted, turn, at, scope } = note;
  const [draft, setDraft] = useState<string>();
  const act = useAct();
  const { busy, problem, run } = act;
  const path = `/agents/${encodeName(agent)}/memory/${encodeName(id)}`;
  const forget = () => run(() => request(withQuery(path, { user: scope.user }), { method: "DELETE" }));
  const save = async () => {
    const body = { text: draft, ...(scope.user === undefined ? {} : { user: scope.user }) };
    if (await run(() => request(path, { method: "PATCH", body }))) setDraft((now) => (now === draft ? undefined : now));
  };
  return (
    <li>
      <Card className="px-4 py-2.5">
        <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
          <div className="min-w-0 flex-1 basis-64">
            {tainted ? (
              <Fence from="Written in a turn that contained untrusted text">
                <LongText text={text} max={1200} />
              </Fence>
            ) : (
              <LongText text={text} max={1200} />
            )}
            <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-soft text-xs">
              {key !== null && (
                <Badge title="The name of a fact: saving it again replaces this note">
                  <bdi>{key}</bdi>
                </Badge>
              )}
              {tainted && <Badge tone="wait">tainted</Badge>}
              <span>{timeText(at)}</span>
              {turn === null ? (
                <span>written by hand</span>
              ) : (
                <TextLink href={placeOf(agent, "turns", turn)}>Turn</TextLink>
              )}
            </p>
          </div>
          <Button kind="quiet" aria-label={`Edit: ${text.slice(0, 60)}`} onClick={() => setDraft(text)}>
            Edit
          </Button>
          <Sure
            does="Forget"
            label={`Forget: ${text.slice(0, 60)}`}
            asks="Delete permanently?"
            yes="Forget it"
            busy={busy}
            onYes={forget}
          />
        </div>
        {problem && draft === undefined && <Trouble problem={problem} />}
        <FormDialog
          open={draft !== undefined}
          onClose={() => setDraft(undefined)}
          title="Edit a note"
          about={
            tainted
              ? "What you save counts as your own words: it is tainted no more."
              : "It keeps its id, and becomes the newest."
          }
          {...{ act }}
          does="Save"
          ready={(draft ?? "").trim() !== ""}
          onSubmit={save}
        >
          <Field label="Text">
            <Textarea rows={4} value={draft ?? ""} onChange={({ target }) => setDraft(target.value)} />
          </Field>
        </FormDialog>
      </Card>
    </li>
  );
}
