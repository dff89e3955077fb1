import { useState } from "react";
import { Link } from "wouter";
import { useApi } from "../../../api/query-client.ts";
import { encodeName, withQuery } from "../../../api/request.ts";
import { Loading, Trouble } from "../../../app/page.tsx";
import { placeOf } from "../../../app/place.ts";
import type { ListedSession, SessionPage } from "../../../billing/listed-turn.ts";
import { Button } from "../../../kit/field.tsx";
import { plural, shortTime, timeText } from "../../../kit/words.ts";
import { opening } from "../../turns/list/opening.ts";
import type { Whom } from "../talk.ts";
import { useWays } from "../ways.ts";

const stretch = 50;
/** So many the server lists at once; older ones stand in Turns. */
const maxSessions = 1000;

type ListProps = {
  readonly whom: Whom;
  /** The one that is shown; undefined: all of them. */
  readonly session: string | undefined;
  readonly onOpen?: () => void;
};

/** The conversations of one user with the agent, the most recent first. */
export function SessionList({ whom, session, onOpen }: ListProps) {
  const { agent, user } = whom;
  const [limit, setLimit] = useState(stretch);
  const { data, error } = useApi<SessionPage>(withQuery(`/agents/${encodeName(agent)}/sessions`, { user, limit }));
  if (!data) return error ? <Trouble problem={error} /> : <Loading />;
  if (data.sessions.length === 0) return <p className="px-2 text-sm text-soft">No conversations yet.</p>;
  return (
    <>
      <ul aria-label="Conversations" className="space-y-0.5">
        <li>
          <Row whom={whom} session={undefined} isOpen={session === undefined} onOpen={onOpen}>
            <span className="font-medium">All conversations</span>
          </Row>
        </li>
        {data.sessions.map((one) => (
          <li key={one.id}>
            <Row whom={whom} session={one.id} isOpen={one.id === session} onOpen={onOpen}>
              <About of={one} />
            </Row>
          </li>
        ))}
      </ul>
      {data.more &&
        (limit < maxSessions ? (
          <Button kind="quiet" className="mt-1 w-full" onClick={() => setLimit(Math.min(maxSessions, 2 * limit))}>
            Show more conversations
          </Button>
        ) : (
          <Link
            href={placeOf(agent, "turns", undefined, { user, view: "sessions" })}
            className="block p-2 text-accent text-sm underline"
          >
            Older ones are in Turns
          </Link>
        ))}
    </>
  );
}

type RowProps = {
  readonly whom: Whom;
  readonly session: string | undefined;
  readonly isOpen: boolean;
  readonly onOpen: (() => void) | undefined;
  readonly children: React.ReactNode;
};

function Row({ whom, session, isOpen, onOpen, children }: RowProps) {
  const { addressOf } = useWays(whom);
  return (
    <Link
      href={addressOf(session)}
      aria-current={isOpen ? "page" : undefined}
      onClick={() => onOpen?.()}
      className="block min-w-0 rounded-md px-2 py-1.5 text-sm hover:bg-raised aria-[current]:bg-raised"
    >
      {children}
    </Link>
  );
}

function About({ of: { firstInput, lastAt, turns, channel } }: { readonly of: ListedSession }) {
  const where = channel === null || channel === "web" ? "" : ` · ${channel}`;
  return (
    <>
      <bdi className="block truncate">{opening(firstInput ?? "") || "No message yet"}</bdi>
      <span className="block truncate text-soft text-xs tabular-nums" title={timeText(lastAt)}>
        {shortTime(lastAt)} · {plural(turns, "turn")}
        {where}
      </span>
    </>
  );
}
