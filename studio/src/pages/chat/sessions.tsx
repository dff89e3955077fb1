import { Menu as Lines } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { useWays } from "../../app/drawer.tsx";
import { Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { type ListedSession, opening, type SessionPage } from "../../billing/listed-turn.tsx";
import { Button } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Dialog } from "../../kit/menu.tsx";
import { SessionLine } from "../../kit/text/long-text.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { plural, shortTime, timeText } from "../../kit/words.ts";
import type { Whom } from "./talk.ts";

const stretch = 50;
/** So many the server lists at once; older ones stand in Activity. */
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
            href={placeOf(agent, "turns", undefined, { user, by: "session" })}
            className="block p-2 text-accent text-sm underline"
          >
            Older ones are in Activity
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

/** The list of conversations behind a button: for windows that have no room for it at the side. */
export function SessionMenu({ whom, session }: { readonly whom: Whom; readonly session: string | undefined }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" className="@max-lg:px-2" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <span>
          <span aria-hidden="true" className="@lg:hidden">
            <Icon of={Lines} />
          </span>
          <span className="@max-lg:sr-only">Conversations</span>
        </span>
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={`Conversations of ${whom.user} with ${whom.agent}`}>
        <SessionList whom={whom} session={session} onOpen={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

/** Above a single conversation: that it is one, and the way to all of them. */
export function OneSessionNote({ whom }: { readonly whom: Whom }) {
  const { addressOf } = useWays(whom);
  return (
    <p className="flex flex-wrap gap-x-3 border-line border-b px-4 py-1.5 text-soft text-xs sm:px-6">
      <span>You see one conversation. What you say continues it.</span>
      <TextLink href={addressOf(undefined)}>Show all conversations</TextLink>
    </p>
  );
}

/** The address names a conversation that has no turns here. */
export function NoSession({ whom, session }: { readonly whom: Whom; readonly session: string }) {
  const { agent, user } = whom;
  const { addressOf } = useWays(whom);
  return (
    <p className="text-center text-sm text-soft [overflow-wrap:anywhere]">
      There is no conversation “<bdi>{session}</bdi>” of <bdi>{user}</bdi> with <bdi>{agent}</bdi>. It may have been
      erased, or belong to another user. <TextLink href={addressOf(undefined)}>Show all</TextLink>
    </p>
  );
}

/** Where another conversation begins among the turns of all. */
export function Anew({ back = false }: { readonly back?: boolean }) {
  return (
    <SessionLine>
      {back
        ? "Back in an earlier conversation: the model is not told what was said since"
        : "A new conversation: the model is not told what was said before"}
    </SessionLine>
  );
}
