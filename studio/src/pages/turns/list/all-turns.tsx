import { useFirstAgents, useListedAgent } from "../../../app/agents.tsx";
import { Page } from "../../../app/page.tsx";
import { placeOf, useAsked } from "../../../app/place.ts";
import { To } from "../../../billing/links.tsx";
import { Choices } from "../../../kit/field.tsx";
import { FilterBar } from "../filter/filter-bar.tsx";
import { type Sort, sorts, type Unread } from "../filter/turn-filter.ts";
import { UnreadNote } from "../filter/unread-note.tsx";
import { useFilter } from "../filter/use-filter.ts";
import { SessionList } from "../sessions/session-list.tsx";
import { TurnList } from "./turn-list.tsx";

const views = [
  ["turns", "Turns"],
  ["sessions", "Sessions"],
] as const;

/** How sessions can be sorted: how long one took says nothing. */
const sessionSorts: readonly Sort[] = ["newest", "oldest", "cost"];

/** Channels there may be; an embedder's own can be typed. */
const channels = ["web", "telegram", "scheduled", "terminal", "editor", "inbox", "automaton"];

/** What an agent has done: its turns as rows, or its sessions (`?view=sessions`), narrowed by what the address says. */
export function AllTurns({ agent }: { readonly agent: string }) {
  const [asked, setAsked] = useAsked();
  const { filter, unread, query, setFilter } = useFilter();
  const { listed } = useListedAgent(agent);
  const models = [...new Set([listed, ...(useFirstAgents().data?.agents ?? [])].flatMap((one) => one?.model ?? []))];
  const sessions = asked("view") === "sessions" && filter.session === undefined;
  const { sort, ...unsorted } = query;
  const bySession = sessions && sort === "duration" ? unsorted : query;
  const notForSessions: readonly Unread[] =
    bySession === query ? [] : [{ key: "sort", value: "duration", reason: "is only for turns" }];
  return (
    <Page
      title={filter.session === undefined ? (sessions ? "Sessions" : "Turns") : "Turns of one session"}
      about={
        filter.session === undefined ? (
          sessions ? (
            "Each session is one conversation: its turns share a history and a cached prompt."
          ) : (
            "Each turn is one input and its answer. Open one to see the whole request, its cost, and what happened in it."
          )
        ) : (
          <>
            Session <code className="[overflow-wrap:anywhere]">{filter.session.slice(0, 200)}</code>.{" "}
            <To href={placeOf(agent, "turns", undefined, { view: "sessions" })}>All sessions</To> ·{" "}
            <To href={placeOf(agent, "turns")}>All turns</To>
          </>
        )
      }
      actions={
        filter.session === undefined && (
          <Choices
            label="View"
            of={views}
            chosen={sessions ? "sessions" : "turns"}
            onChoose={(view) =>
              setAsked({ view: view === "sessions" ? view : undefined, from: undefined }, { replace: false })
            }
          />
        )
      }
    >
      <FilterBar
        agent={agent}
        filter={filter}
        setFilter={setFilter}
        channels={channels}
        models={models}
        sorts={sessions ? sessionSorts : sorts}
      />
      <UnreadNote unread={[...unread, ...notForSessions]} />
      {sessions ? (
        <SessionList agent={agent} filter={filter} query={bySession} />
      ) : (
        <TurnList agent={agent} filter={filter} query={query} />
      )}
    </Page>
  );
}
