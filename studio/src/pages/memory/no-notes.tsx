import type { AgentUsersAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Empty } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { TextLink } from "../../kit/text-link.tsx";

const max = 12;

/** Why there is nothing here, and where there may be something. */
export function NoNotes({
  agent,
  user,
  query,
}: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly query: string;
}) {
  const wanted = query === "" && user === undefined;
  const { data } = useApi<AgentUsersAnswer>(
    wanted ? withQuery(`/agents/${encodeName(agent)}/users`, { limit: max }) : undefined,
  );
  if (query !== "")
    return <Empty title="No notes found">No note has these words, or words like them. Try fewer letters.</Empty>;
  if (user !== undefined)
    return (
      <Empty title={`No notes about “${user}”`}>
        The agent saves notes when it is{" "}
        <TextLink href={placeOf(agent, "chat", undefined, { user })}>asked to remember something</TextLink>.
      </Empty>
    );
  return (
    <Empty title={`“${agent}” keeps no notes of its own`}>
      {data && data.users.length > 0 ? (
        <>
          Notes about a user are theirs:{" "}
          {data.users.slice(0, max).map((one, index) => (
            <span key={one}>
              {index > 0 && ", "}
              <TextLink href={placeOf(agent, "memory", undefined, { user: one })} dir="auto">
                {one}
              </TextLink>
            </span>
          ))}
        </>
      ) : (
        "It saves notes when it is asked to remember something."
      )}
    </Empty>
  );
}
