import { Fragment } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Empty, Loading, Pager, Trouble, useStretch } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import type { TurnPage } from "../../billing/listed-turn.ts";
import { useLookingAgain } from "../../billing/samples.ts";
import { SessionLine } from "../../kit/text/long-text.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { isCounterpart, plural } from "../../kit/words.ts";
import { LinkedChats } from "./linked-chats.tsx";
import { SpokenTurn } from "./spoken-turn.tsx";

const size = 30;

/** A user's turns as they were spoken. The newest stretch first, and in it the oldest first. */
export function TurnDialogue({ agent, user }: { readonly agent: string; readonly user: string }) {
  const { from, ...stretch } = useStretch(size);
  const path = withQuery(`/agents/${encodeName(agent)}/turns`, { user, ...stretch });
  const { data, error, refetch, isPlaceholderData } = useApi<TurnPage>(path);
  useLookingAgain(data?.turns.some(({ state }) => state === "running") ?? false, refetch);
  if (error) return <Trouble problem={error} again={() => void refetch()} />;
  if (!data) return <Loading />;
  const pager = (
    <Pager
      from={from}
      isBefore={isPlaceholderData}
      shown={data.turns.length}
      size={size}
      more={data.more}
      total={data.total}
      words={["Later", "Earlier"]}
    />
  );
  if (data.turns.length === 0)
    return (
      <>
        <Empty title={from === 0 ? "No turns yet." : "The list ends before this page."}>
          {from === 0 && !isCounterpart(user) && (
            <TextLink href={placeOf(agent, "chat", undefined, { user })}>Start a conversation as this user</TextLink>
          )}
        </Empty>
        {from > 0 && pager}
      </>
    );
  const turns = data.turns.toReversed();
  return (
    <>
      {!isCounterpart(user) && <LinkedChats agent={agent} user={user} />}
      <p className="mb-3 text-sm text-soft">{plural(data.total, "turn")}, oldest at the top.</p>
      {data.more && pager}
      <ol className="mx-auto max-w-3xl space-y-7">
        {turns.map((turn, index) => (
          <Fragment key={turn.id}>
            {index > 0 && turn.session !== null && turns[index - 1]?.session !== turn.session && (
              <li>
                <SessionLine>Another session: the history above is not in it</SessionLine>
              </li>
            )}
            <li>
              <SpokenTurn agent={agent} turn={turn} />
            </li>
          </Fragment>
        ))}
      </ol>
      {pager}
    </>
  );
}
