import type { NextRequestAnswer } from "charter/answers";
import type { Wanted } from "../../assembly/assembled.ts";
import { Choices } from "../../kit/choices.tsx";
import { timeText } from "../../kit/words.ts";
import type { Shown } from "./shown.ts";

type WhichProps = {
  readonly shown: Shown | undefined;
  readonly next: NextRequestAnswer | undefined;
  readonly wanted: Wanted;
  readonly onChoose: (shown: Shown) => void;
};

/** Which of the two prompts is looked at, and the way to the other where there is one. */
export function Which({ shown, next, wanted: { user, channel }, onChoose }: WhichProps) {
  const session = next?.session;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      {shown !== undefined && session && (
        <Choices
          label="What is shown"
          of={[
            ["now", "Now, in this conversation"],
            ["new", "New conversation"],
          ]}
          chosen={shown}
          onChoose={onChoose}
        />
      )}
      <p role="status" className="text-soft">
        {session ? (
          <>
            {shown === "now" ? "Shown: what the next turn sends in" : "Shown: a new conversation. There is also"} the
            open conversation
            {user !== undefined && (
              <>
                {" "}
                with <bdi>{user}</bdi>
              </>
            )}
            {session.channel !== null && (
              <>
                {" "}
                on <bdi>{session.channel}</bdi>
              </>
            )}
            , last used <time dateTime={session.lastAt}>{timeText(session.lastAt)}</time>.
          </>
        ) : (
          <>
            Shown: a new conversation.{" "}
            {user === undefined ? (
              "There is no open one without a user"
            ) : (
              <>
                No conversation with <bdi>{user}</bdi> is open
              </>
            )}
            {channel !== undefined && (
              <>
                {" "}
                on <bdi>{channel}</bdi>
              </>
            )}
            .
          </>
        )}
      </p>
    </div>
  );
}
