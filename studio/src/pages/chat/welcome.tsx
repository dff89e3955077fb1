import type { AgentAnswer, MeAnswer, ToolListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName } from "../../api/request.ts";
import type { Entry } from "./recorded.ts";
import { Anew } from "./sessions.tsx";
import { changesItself, triesWith, type Whom } from "./talk.ts";
import { type Doing, LiveTurn, RecordedTurn } from "./turn.tsx";

/** Before the first word. */
export function Welcome({ agent, onTry }: { readonly agent: string; readonly onTry: (words: string) => void }) {
  const { data, error } = useApi<AgentAnswer>(`/agents/${encodeName(agent)}`);
  if (data?.served === false) return <AtTerminal agent={agent} />;
  return data || error ? <Served agent={agent} onTry={onTry} /> : null;
}

function Served({ agent, onTry }: { readonly agent: string; readonly onTry: (words: string) => void }) {
  const { data, error } = useApi<ToolListAnswer>(`/agents/${encodeName(agent)}/tools`);
  // Until they are known, nothing is shown that might be another in a moment.
  if (!data && !error) return null;
  const tools = (data?.tools ?? []).map((tool) => tool.name);
  return (
    <div className="mx-auto max-w-xl py-[4vh] sm:py-[8vh]">
      <h2 className="text-center font-semibold text-2xl tracking-tight [overflow-wrap:anywhere]">
        Say hello to <bdi>{agent}</bdi>
      </h2>
      <p className="mt-2 text-center text-soft">
        {changesItself(tools)
          ? "What you tell it to always or never do becomes part of its prompt. Every change is checked, recorded and shown here. For example:"
          : "Each message is a turn. What the model was sent is recorded, and changes to its prompt are shown here. For example:"}
      </p>
      <ul className="mt-6 space-y-2">
        {triesWith(tools).map(({ words, shows }) => (
          <li key={words}>
            <button
              type="button"
              onClick={() => onTry(words)}
              className="flex w-full flex-wrap items-baseline justify-between gap-x-4 rounded-lg border border-line bg-card px-4 py-2.5 text-start hover:border-accent"
            >
              “{words}” <span className="text-soft text-xs">{shows}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** One that takes no turns here: where it does is said before anyone has tried in vain. */
export function AtTerminal({ agent }: { readonly agent: string }) {
  const command = useApi<MeAnswer>("/me").data?.command;
  return (
    <div className="mx-auto max-w-xl py-[4vh] text-center sm:py-[8vh]">
      <h2 className="font-semibold text-2xl tracking-tight [overflow-wrap:anywhere]">
        <bdi>{agent}</bdi> works at a terminal
      </h2>
      <p className="mt-2 text-soft">
        It works in a directory, so you cannot talk to it on this page. Its prompt and its turns are here. To talk to
        it, run this where the server was started:
      </p>
      <p className="mt-4">
        <code className="inline-block rounded-md border border-line bg-card px-3 py-2 [overflow-wrap:anywhere]">
          {command?.name ?? "charter"} chat --agent <bdi>{agent}</bdi> {command?.options}
        </code>
      </p>
    </div>
  );
}

type EntryProps = { readonly whom: Whom; readonly entry: Entry; readonly doing: Doing };

/** One turn of the conversation, or where another conversation begins. */
export function EntryView({ whom, entry, doing }: EntryProps) {
  if (entry.kind === "anew") return <Anew back={entry.back} />;
  const turn = entry.kind === "turn" ? entry.turn : undefined;
  if (entry.said) return <LiveTurn whom={whom} said={entry.said} turn={turn} doing={doing} />;
  return turn ? <RecordedTurn whom={whom} turn={turn} doing={doing} /> : null;
}
