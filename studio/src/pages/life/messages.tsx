import type { MessageListAnswer, RetriedMessagesAnswer } from "charter/answers";
import { type ReactNode, useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { ApiProblem, encodeName, sendJson, withQuery } from "../../api/request.ts";
import { Sure, useAct } from "../../app/form-dialog.tsx";
import { Answered, Trouble } from "../../app/page.tsx";
import { placeOf, saidWith } from "../../app/place.ts";
import { Button } from "../../kit/field.tsx";
import { Hint } from "../../kit/hint.tsx";
import { Fence, LongText } from "../../kit/text/long-text.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, counterpartKey, plural, timeText } from "../../kit/words.ts";

const stretch = 10;

/** The messages of one status, oldest first, under their number. `none` stands where there are none. */
export function MessageList({
  agent,
  status,
  title,
  about,
  total,
  none,
  acts,
  onDone,
}: {
  readonly agent: string;
  readonly status: Message["status"];
  readonly title: string;
  readonly about: string;
  /** How many there are, where that is known. */
  readonly total?: number;
  /** Without it the whole section is left out where there are none. */
  readonly none?: ReactNode;
  /** What is done with all of them, where there are several. */
  readonly acts?: ReactNode;
  readonly onDone: (says: string) => void;
}) {
  const [limit, setLimit] = useState(stretch);
  const path = withQuery(`/agents/${encodeName(agent)}/inbox`, { status, limit });
  const { data, error, refetch } = useApi<MessageListAnswer>(path);
  const shown = data?.messages ?? [];
  const isEmpty = data !== undefined && shown.length === 0;
  if (none === undefined && !error && (isEmpty || !data)) return null;
  const many = total === undefined || total < shown.length ? `${shown.length}${data?.more ? "+" : ""}` : count(total);
  return (
    <section aria-label={title}>
      <h2 className="mb-1 flex items-center gap-1.5 font-semibold text-lg">
        {title} {shown.length > 0 && <span className="font-normal text-base text-soft">{many}</span>}
        {shown.length > 0 && <Hint about={title}>{about}</Hint>}
      </h2>
      {shown.length > 1 && acts}
      <Answered of={{ data, error, refetch }}>{() => isEmpty && <p className="text-sm text-soft">{none}</p>}</Answered>
      {shown.length > 0 && (
        <ol className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
          {shown.map((message) => (
            <MessageItem key={message.id} agent={agent} message={message} onDone={onDone} />
          ))}
        </ol>
      )}
      {data?.more && (
        <Button className="mt-2" onClick={() => setLimit(limit + 5 * stretch)}>
          Show more
        </Button>
      )}
    </section>
  );
}

export type Message = MessageListAnswer["messages"][number];

type MessageActsProps = {
  readonly agent: string;
  readonly message: Pick<Message, "id" | "sender" | "status">;
  readonly onDone: (says: string) => void;
  readonly className?: string;
};

/** A message: from whom, its words, every try that failed and why, and what can be done with it. */
function MessageItem({ agent, message, onDone }: MessageActsProps & { readonly message: Message }) {
  const { sender, at, body, status, tries, turn, failures } = message;
  return (
    <li className="space-y-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-soft text-xs">
        <span>{timeText(at)}</span>
        {tries > 0 && <span>{plural(tries, "try", "tries")}</span>}
        {status === "taken" && turn !== null && <TextLink href={placeOf(agent, "turns", turn)}>Turn</TextLink>}
        {status === "waiting" && <MessageActs agent={agent} message={message} onDone={onDone} className="ml-auto" />}
      </div>
      <Fence
        from={
          <>
            <TextLink href={saidWith(agent, counterpartKey(sender))} dir="auto">
              {sender}
            </TextLink>{" "}
            wrote
          </>
        }
      >
        <LongText text={body} max={400} />
      </Fence>
      {failures.length > 0 && (
        <ol aria-label="Why it failed" className="space-y-0.5 text-sm">
          {failures.map((failure) => (
            <li key={failure.at + failure.because} className="[overflow-wrap:anywhere]">
              <span className="text-soft text-xs">{timeText(failure.at)}</span>{" "}
              <bdi className="text-bad">{failure.because}</bdi>
              {failure.turn !== null && (
                <>
                  {" "}
                  <TextLink href={placeOf(agent, "turns", failure.turn)}>Turn</TextLink>
                </>
              )}
            </li>
          ))}
        </ol>
      )}
      {status === "dead" && <MessageActs agent={agent} message={message} onDone={onDone} />}
    </li>
  );
}

/** A failed message is tried again or discarded; one that waits can be discarded. */
export function MessageActs({ agent, message: { id, sender, status }, onDone, className = "" }: MessageActsProps) {
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
      <div className="flex flex-wrap gap-2">
        {status === "dead" && (
          <Button disabled={busy} aria-label={`Retry the message of ${sender}`} onClick={() => act("retry")}>
            Retry
          </Button>
        )}
        <Sure
          does="Discard…"
          label={`Discard the message of ${sender}`}
          asks="It will never be answered."
          yes="Discard it"
          busy={busy}
          onYes={() => act("discard")}
        />
      </div>
      <Trouble problem={problem} />
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
      <Trouble problem={problem} />
    </div>
  );
}

/** What has happened to it meanwhile is an answer, not a failure. */
function unlessLate(error: unknown): "late" {
  if (error instanceof ApiProblem && error.error.code === "already-decided") return "late";
  throw error;
}
