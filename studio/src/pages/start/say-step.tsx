import type { ToolListAnswer } from "charter/answers";
import { type FormEvent, type ReactNode, useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName } from "../../api/request.ts";
import { placeOf } from "../../app/place.ts";
import { Button } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { say, triesWith, useTalk } from "../chat/talk.ts";
import type { First } from "./use-first-facts.ts";

/** Something is said to the agent, here: a turn, as in Chat. */
export function SayStep({ first: { agent, user, lastTurn, facts } }: { readonly first: First }) {
  const tools = useApi<ToolListAnswer>(`/agents/${encodeName(agent)}/tools`);
  const suggested =
    tools.data || tools.error ? triesWith((tools.data?.tools ?? []).map(({ name }) => name))[0] : undefined;
  const [typed, setTyped] = useState<string>();
  const said = useTalk({ agent, user }).said.at(-1);
  const busy = said !== undefined && said.so.ended === undefined;
  const words = typed ?? (facts.said ? "" : (suggested?.words ?? ""));
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (busy || words.trim() === "") return;
    setTyped("");
    void say({ agent, user }, words.trim()).then(({ ended }) => {
      // Whoever failed to say it has the words back.
      if (typeof ended === "object") setTyped(words);
    });
  };
  const failed = said && typeof said.so.ended === "object" ? said.so.ended.because : undefined;
  return (
    <>
      <p className="text-sm text-soft">
        Tell <bdi>{agent}</bdi> what to do always or never. It keeps that in its prompt.
      </p>
      {said ? (
        <Exchange input={said.input} reply={said.so.text} busy={busy ? (said.so.busy ?? "Answering…") : undefined} />
      ) : (
        lastTurn && <Exchange input={lastTurn.input} reply={lastTurn.reply ?? ""} busy={undefined} />
      )}
      {failed !== undefined && (
        <p role="alert" className="text-bad text-sm [overflow-wrap:anywhere]">
          {failed}
        </p>
      )}
      <form onSubmit={send} className="flex flex-wrap gap-2">
        <input
          aria-label={`Message to ${agent}`}
          dir="auto"
          autoComplete="off"
          maxLength={32_000}
          value={words}
          placeholder={`Say something to ${agent}…`}
          onChange={({ target }) => setTyped(target.value)}
          className="min-h-9 min-w-0 flex-[1_1_12rem] rounded-md border border-line bg-paper px-3 text-sm"
        />
        <Button type="submit" kind={facts.said ? "plain" : "primary"} disabled={busy || words.trim() === ""}>
          Send
        </Button>
      </form>
      {facts.said && (
        <p className="text-sm">
          <TextLink href={placeOf(agent, "chat", undefined, { user })}>Go on in Chat</TextLink>
        </p>
      )}
    </>
  );
}

function Exchange({
  input,
  reply,
  busy,
}: {
  readonly input: string;
  readonly reply: string;
  readonly busy: string | undefined;
}) {
  return (
    <dl className="space-y-1 rounded-md bg-raised p-3 text-sm">
      <Line who="You">{input}</Line>
      <Line who="Reply">
        {reply === "" ? (
          <span role="status" className="text-soft">
            {busy ?? "There is no reply."}
          </span>
        ) : (
          reply
        )}
      </Line>
    </dl>
  );
}

function Line({ who, children }: { readonly who: string; readonly children: ReactNode }) {
  return (
    <div className="grid grid-cols-[3.5rem_minmax(0,1fr)] gap-2">
      <dt className="text-soft">{who}</dt>
      <dd dir="auto" className="line-clamp-6 whitespace-pre-wrap [overflow-wrap:anywhere]">
        {children}
      </dd>
    </div>
  );
}
