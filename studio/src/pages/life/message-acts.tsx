import type { RetriedMessagesAnswer } from "charter/answers";
import { useState } from "react";
import { ApiProblem, encodeName, sendJson } from "../../api/request.ts";
import { useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { Button } from "../../kit/field.tsx";
import type { Message } from "./message-item.tsx";

/** A failed message is tried again or discarded; one that waits can be discarded. */
export function MessageActs({
  agent,
  message: { id, sender, status },
  onDone,
  className = "",
}: {
  readonly agent: string;
  readonly message: Message;
  readonly onDone: (says: string) => void;
  readonly className?: string;
}) {
  const [sure, setSure] = useState(false);
  const { busy, problem, run } = useAct();
  const act = async (what: "retry" | "discard") => {
    const path = `/agents/${encodeName(agent)}/inbox/${encodeName(id)}/${what}`;
    const answer = await run(() => sendJson<Message>(path).catch(unlessLate));
    if (answer === undefined) return;
    if (answer === "late") onDone(`The message of “${sender}” was changed by someone else meanwhile.`);
    else if (what === "retry") onDone(`The message of “${sender}” is waiting again, with three new tries.`);
    else onDone(`Discarded: the message of “${sender}” will not be answered.`);
  };
  return (
    <div className={`text-ink text-sm ${className}`}>
      {sure ? (
        <div className="flex flex-wrap items-center gap-2">
          <span>It will never be answered.</span>
          <Button kind="danger" disabled={busy} onClick={() => act("discard")}>
            Discard it
          </Button>
          <Button kind="quiet" autoFocus onClick={() => setSure(false)}>
            Keep it
          </Button>
        </div>
      ) : (
        <div className="flex flex-wrap gap-2">
          {status === "dead" && (
            <Button disabled={busy} aria-label={`Retry the message of ${sender}`} onClick={() => act("retry")}>
              Retry
            </Button>
          )}
          <Button
            kind="quiet"
            disabled={busy}
            aria-label={`Discard the message of ${sender}`}
            onClick={() => setSure(true)}
          >
            Discard…
          </Button>
        </div>
      )}
      {problem && <Trouble problem={problem} />}
    </div>
  );
}

/** Lets all failed messages wait again. */
export function RetryAll({ agent, onDone }: { readonly agent: string; readonly onDone: (says: string) => void }) {
  const { busy, problem, run } = useAct();
  const retry = async () => {
    const path = `/agents/${encodeName(agent)}/inbox/retry`;
    const answer = await run(() => sendJson<RetriedMessagesAnswer>(path));
    if (answer) onDone(`Messages that are waiting again, each with three new tries: ${answer.retried}.`);
  };
  return (
    <div className="mb-2 text-sm">
      <Button disabled={busy} onClick={retry}>
        Retry all
      </Button>
      {problem && <Trouble problem={problem} />}
    </div>
  );
}

/** What has happened to it meanwhile is an answer, not a failure. */
function unlessLate(error: unknown): "late" {
  if (error instanceof ApiProblem && error.error.code === "already-decided") return "late";
  throw error;
}
