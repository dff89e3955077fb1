import type { ConversationListAnswer, TurnListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Page } from "../../app/page.tsx";
import { type PageName, placeOf, titles, useAsked } from "../../app/place.ts";
import { Choices } from "../../kit/choices.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { Letters } from "./letters.tsx";
import { TurnDialogue } from "./turn-dialogue.tsx";

const ways = [
  ["turns", "Turns"],
  ["letters", "Letters"],
] as const;

/** What was said with one counterpart, oldest first: in turns, or by letter (`?by=letters`, and where there are only those). */
export function Dialogue({ agent, counterpart }: { readonly agent: string; readonly counterpart: string }) {
  const [asked, setAsked] = useAsked();
  const { data } = useApi<ConversationListAnswer>(
    withQuery(`/agents/${encodeName(agent)}/conversations`, { limit: 1000 }),
  );
  const key = counterpart.trim().toLowerCase();
  const writes = data?.conversations.some((one) => one.counterpart === key) ?? false;
  const turns = useApi<TurnListAnswer>(
    withQuery(`/agents/${encodeName(agent)}/turns`, { user: counterpart, limit: 1 }),
  );
  const onlyLetters = writes && turns.data?.turns.length === 0;
  const byLetter = (asked("by") ?? (onlyLetters ? "letters" : "turns")) === "letters";
  return (
    <Page title={counterpart} about={<Ways agent={agent} user={byLetter ? undefined : counterpart} />}>
      {(writes || byLetter) && (
        <div className="mb-4">
          <Choices
            label="How they spoke"
            of={ways}
            chosen={byLetter ? "letters" : "turns"}
            onChoose={(by) => setAsked({ by, from: undefined }, { replace: false })}
          />
        </div>
      )}
      {byLetter ? (
        <Letters agent={agent} counterpart={counterpart} kept={data && writes} />
      ) : (
        <TurnDialogue agent={agent} user={counterpart} />
      )}
    </Page>
  );
}

const theirs: readonly PageName[] = ["prompt", "sections", "turns", "memory", "schedules"];

/** Back to everyone, and to what else there is of a user. */
function Ways({ agent, user }: { readonly agent: string; readonly user: string | undefined }) {
  return (
    <>
      <TextLink href={placeOf(agent, "conversations")}>All conversations</TextLink>
      {user !== undefined &&
        theirs.map((page) => (
          <span key={page}>
            {" · "}
            <TextLink href={placeOf(agent, page, undefined, { user })}>{titles[page]}</TextLink>
          </span>
        ))}
    </>
  );
}
