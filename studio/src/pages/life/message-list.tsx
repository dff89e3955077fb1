import type { MessageListAnswer } from "charter/answers";
import { type ReactNode, useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Loading, Trouble } from "../../app/page.tsx";
import { Button } from "../../kit/field.tsx";
import { count } from "../../kit/words.ts";
import { type Message, MessageItem } from "./message-item.tsx";

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
      <h2 className="font-semibold text-lg">
        {title} {shown.length > 0 && <span className="font-normal text-base text-soft">{many}</span>}
      </h2>
      {shown.length > 0 && <p className="mb-2 text-sm text-soft">{about}</p>}
      {shown.length > 1 && acts}
      {error && <Trouble problem={error} again={() => void refetch()} />}
      {!data && !error && <Loading />}
      {isEmpty && <p className="text-sm text-soft">{none}</p>}
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
