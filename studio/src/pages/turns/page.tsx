import { useFirstAgents, useListedAgent } from "../../app/agents.tsx";
import { Page } from "../../app/page.tsx";
import { placeOf, useAsked, usePlace } from "../../app/place.ts";
import { Choices } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { FilterBar, UnreadNote, useFilter } from "./filter-bar.tsx";
import { People, Sessions } from "./groups.tsx";
import { OneTurn } from "./turn/one-turn.tsx";
import { type Sort, sorts, type Unread } from "./turn-filter.ts";
import { TurnList } from "./turn-list.tsx";

/** What an agent has done; with a turn in the address, that one. */
export default function TurnsPage() {
  const { agent, one } = usePlace();
  return one === undefined ? <Activity key={agent} agent={agent} /> : <OneTurn key={one} agent={agent} id={one} />;
}

const groupings = [
  ["none", "Turn by turn"],
  ["session", "By session"],
  ["person", "By person"],
] as const;

/** How groups can be sorted: how long one took says nothing. */
const groupSorts: readonly Sort[] = ["newest", "oldest", "cost"];

/** Channels there may be; an embedder's own can be typed. */
const channels = ["web", "telegram", "scheduled", "terminal", "editor", "inbox", "automaton"];

/** One list: the turns as rows, or grouped (`?by=session`, `?by=person`), narrowed by what the address says. */
function Activity({ agent }: { readonly agent: string }) {
  const [asked, setAsked] = useAsked();
  const { filter, unread, query, setFilter } = useFilter();
  const { listed } = useListedAgent(agent);
  const models = [...new Set([listed, ...(useFirstAgents().data?.agents ?? [])].flatMap((one) => one?.model ?? []))];
  const { session } = filter;
  const by = groupings.find(([one]) => one === asked("by") && session === undefined)?.[0] ?? "none";
  const { sort, ...unsorted } = query;
  const grouped = sort === "duration" ? unsorted : query;
  const notForGroups: readonly Unread[] =
    by === "none" || grouped === query ? [] : [{ key: "sort", value: "duration", reason: "is only for turns" }];
  return (
    <Page
      title="Activity"
      hint="Each turn is one input and its answer. Open one to see what was sent, what it cost, and what happened in it. The turns of a session share a history and a cached prompt."
      about={
        session !== undefined && (
          <>
            The turns of session <code className="[overflow-wrap:anywhere]">{session.slice(0, 200)}</code>.{" "}
            <TextLink href={placeOf(agent, "turns", undefined, { by: "session" })}>All sessions</TextLink> ·{" "}
            <TextLink href={placeOf(agent, "turns")}>All turns</TextLink>
          </>
        )
      }
      actions={
        session === undefined && (
          <Choices
            label="Group the turns"
            of={groupings}
            chosen={by}
            onChoose={(next) =>
              setAsked({ by: next === "none" ? undefined : next, open: undefined, from: undefined }, { replace: false })
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
        sorts={by === "none" ? sorts : groupSorts}
      />
      <UnreadNote unread={[...unread, ...notForGroups]} />
      {by === "none" && <TurnList agent={agent} filter={filter} query={query} />}
      {by === "session" && <Sessions agent={agent} filter={filter} query={grouped} />}
      {by === "person" && <People agent={agent} filter={filter} query={grouped} />}
    </Page>
  );
}
