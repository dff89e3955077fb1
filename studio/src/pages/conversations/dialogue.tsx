import type { ConversationListAnswer, TurnListAnswer } from "charter/answers";
import { Redirect } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Page, Trouble } from "../../app/page.tsx";
import { type PageName, placeOf, titles, useAsked } from "../../app/place.ts";
import { Choices } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { counterpartKey, isCounterpart, shownName } from "../../kit/words.ts";
import { Letters } from "./letters.tsx";
import { TurnDialogue } from "./turn-dialogue.tsx";

const ways = [
  ["messages", "Messages"],
  ["turns", "Turns"],
] as const;

/** What was said with one of them, oldest first: with a user in turns, with a sender in messages (`?by=turns`). */
export function Dialogue({ agent, one }: { readonly agent: string; readonly one: string }) {
  return isCounterpart(one) ? <WithSender agent={agent} one={one} /> : <WithUser agent={agent} user={one} />;
}

function WithSender({ agent, one }: { readonly agent: string; readonly one: string }) {
  const [asked, setAsked] = useAsked();
  const { kept, error, refetch } = useKept(agent, shownName(one));
  const byTurn = asked("by") === "turns";
  return (
    <Page title={shownName(one)} about={<Ways agent={agent} user={one} pages={sendersPages} />}>
      <div className="mb-4">
        <Choices
          label="How it is shown"
          of={ways}
          chosen={byTurn ? "turns" : "messages"}
          onChoose={(by) => setAsked({ by: by === "turns" ? by : undefined, from: undefined }, { replace: false })}
        />
      </div>
      {byTurn && <TurnDialogue agent={agent} user={one} />}
      {!byTurn && error && <Trouble problem={error} again={refetch} />}
      {!byTurn && !error && <Letters agent={agent} counterpart={shownName(one)} kept={kept} />}
    </Page>
  );
}

/** Where no user of that name has a turn, and a sender has, the sender is meant. */
function WithUser({ agent, user }: { readonly agent: string; readonly user: string }) {
  const turns = useApi<TurnListAnswer>(withQuery(`/agents/${encodeName(agent)}/turns`, { user, limit: 1 }));
  const { sender } = useKept(turns.data?.turns.length === 0 ? agent : undefined, user);
  if (sender !== undefined) return <Redirect to={placeOf(agent, "conversations", counterpartKey(sender))} replace />;
  return (
    <Page title={user} about={<Ways agent={agent} user={user} pages={usersPages} />}>
      <TurnDialogue agent={agent} user={user} />
    </Page>
  );
}

/** The sender of that name, as the server has it, where messages of theirs are kept. Without an agent that is not asked. */
function useKept(agent: string | undefined, name: string) {
  const path = agent && withQuery(`/agents/${encodeName(agent)}/conversations`, { counterpart: name, limit: 1 });
  const { data, error, refetch } = useApi<ConversationListAnswer>(path);
  const sender = data?.conversations[0]?.counterpart;
  return {
    sender,
    kept: data && sender !== undefined,
    error: data ? null : error,
    refetch: () => void refetch(),
  };
}

const usersPages: readonly PageName[] = ["prompt", "sections", "turns", "memory", "schedules"];
const sendersPages: readonly PageName[] = ["turns", "memory"];

/** Back to everyone, and to what else there is of them. */
function Ways({ agent, user, pages }: WaysProps) {
  return (
    <>
      <TextLink href={placeOf(agent, "conversations")}>All conversations</TextLink>
      {pages.map((page) => (
        <span key={page}>
          {" · "}
          <TextLink href={placeOf(agent, page, undefined, { user })}>{titles[page]}</TextLink>
        </span>
      ))}
    </>
  );
}

type WaysProps = { readonly agent: string; readonly user: string; readonly pages: readonly PageName[] };
