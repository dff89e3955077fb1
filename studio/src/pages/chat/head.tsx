import { Link } from "wouter";
import { placeOf } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { Button } from "../../kit/field.tsx";
import { SessionMenu } from "./sessions/session-menu.tsx";
import type { Whom } from "./talk.ts";
import { Telegram } from "./telegram.tsx";
import { useWays } from "./ways.ts";

/**
 * With whom one speaks, as whom, and what can be done about it. `beside`: the next prompt is seen already; `listed`: the
 * conversations are.
 */
export function Head({
  whom,
  session,
  onAnew,
  beside,
  listed,
}: {
  readonly whom: Whom;
  readonly session: string | undefined;
  readonly onAnew: () => void;
  readonly beside: boolean;
  readonly listed: boolean;
}) {
  const { agent, user } = whom;
  const { isDrawer, speakAs } = useWays(whom);
  return (
    <div className="flex items-end gap-x-2 border-line border-b px-4 py-2 @lg:gap-x-4 @lg:px-6">
      {!isDrawer && <h1 className="sr-only self-center font-semibold text-xl tracking-tight @lg:not-sr-only">Chat</h1>}
      <UserChoice
        agent={agent}
        user={user}
        label="You speak as"
        nobody="yourself"
        needed
        className={`me-auto w-36 shrink ${isDrawer ? "" : "@lg:ms-auto @lg:me-0"}`}
        onUser={speakAs}
      />
      <div className="flex shrink-0 @lg:gap-1">
        {!listed && <SessionMenu whom={whom} session={session} />}
        <Button kind="quiet" className="@max-lg:px-2" onClick={onAnew}>
          <span>
            New<span className="@max-lg:sr-only"> conversation</span>
          </span>
        </Button>
        <Telegram agent={agent} user={user} />
        {!beside && (
          <Link
            href={placeOf(agent, "prompt", undefined, { user, channel: "web" })}
            className="inline-flex min-h-9 items-center rounded-md px-2 font-medium text-sm text-soft hover:bg-raised hover:text-ink @lg:px-3"
          >
            <span>
              <span className="sr-only">The next </span>Prompt
            </span>
          </Link>
        )}
      </div>
    </div>
  );
}
