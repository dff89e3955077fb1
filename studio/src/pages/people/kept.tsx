import type {
  LinkListAnswer,
  NoteListAnswer,
  ScheduleListAnswer,
  SectionListAnswer,
  SessionListAnswer,
} from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName, request, withQuery } from "../../api/request.ts";
import { useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { placeOf, saidWith } from "../../app/place.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { dollars, plural, shortTime, timeText } from "../../kit/words.ts";
import { NoteCard } from "../memory/note-card.tsx";
import { Part, Removable } from "./access.tsx";

type KeptProps = { readonly agent: string; readonly user: string };

/** What one agent has of theirs. */
export function Kept({ agent, user }: KeptProps) {
  const at = `/agents/${encodeName(agent)}`;
  const notes = useApi<NoteListAnswer>(withQuery(`${at}/memory`, { user, limit: 5 }));
  const sections = useApi<SectionListAnswer>(withQuery(`${at}/sections`, { user, limit: 100 }));
  const schedules = useApi<ScheduleListAnswer>(withQuery(`${at}/schedules`, { user, limit: 20 }));
  const links = useApi<LinkListAnswer>(withQuery(`${at}/links`, { user, limit: 20 }));
  const own = sections.data?.sections.filter(({ scope }) => scope === "user") ?? [];
  const act = useAct();
  const remove = (path: string) => act.run(() => request(withQuery(path, { user }), { method: "DELETE" }));
  return (
    <div className="mt-3 grid grid-cols-1 items-start gap-4 lg:grid-cols-2 lg:[&>:last-child:nth-child(odd)]:col-span-2">
      <Trouble problem={act.problem} />
      <Conversations agent={agent} user={user} />
      <Part title="Instructions" to={placeOf(agent, "sections", undefined, { user })} words="All sections">
        {own.length === 0 && "None of its sections is theirs."}
        <ul>
          {own.map(({ name, revision, updatedAt }) => (
            <li key={name}>
              <TextLink href={placeOf(agent, "sections", name, { user })}>{name}</TextLink>{" "}
              <span className="text-soft">
                {updatedAt === null ? "original text" : `revision ${revision}, ${shortTime(updatedAt)}`}
              </span>
            </li>
          ))}
        </ul>
      </Part>
      <Part title="Notes" to={placeOf(agent, "memory", undefined, { user })} words="All notes, search, add">
        {notes.data?.notes.length === 0 && "None."}
        <ul className="space-y-2">
          {notes.data?.notes.map((note) => (
            <NoteCard key={note.id} agent={agent} note={note} />
          ))}
        </ul>
      </Part>
      <Part title="Reminders" to={placeOf(agent, "schedules", undefined, { user })} words="All schedules">
        {schedules.data?.schedules.length === 0 && "None."}
        <ul className="space-y-1">
          {schedules.data?.schedules.map(({ id, title, nextAt }) => (
            <Removable key={id} does={`Cancel ${title}`} onRemove={() => remove(`${at}/schedules/${encodeName(id)}`)}>
              <bdi>{title}</bdi>{" "}
              <span className="text-soft">{nextAt === null ? "over" : `next ${timeText(nextAt)}`}</span>
            </Removable>
          ))}
        </ul>
      </Part>
      <Part title="Linked chats">
        {links.data?.links.length === 0 && "None."}
        <ul className="space-y-1">
          {links.data?.links.map(({ channel, address }) => (
            <Removable
              key={`${channel} ${address}`}
              does={`Unlink ${channel} ${address}`}
              onRemove={() => remove(`${at}/links/${encodeName(channel)}/${encodeName(address)}`)}
            >
              {channel} <bdi>{address}</bdi>
            </Removable>
          ))}
        </ul>
      </Part>
    </div>
  );
}

/** The latest sessions, each with what it came to. */
function Conversations({ agent, user }: KeptProps) {
  const path = withQuery(`/agents/${encodeName(agent)}/sessions`, { user, limit: 5 });
  const { data } = useApi<SessionListAnswer>(path);
  return (
    <Part title="Conversations" to={saidWith(agent, user)} words="All that was said">
      {data?.sessions.length === 0 && "None of several turns."}
      <ul className="space-y-1">
        {data?.sessions.map(({ id, firstInput, turns, cost, lastAt }) => (
          <li key={id} className="flex gap-3">
            <span className="min-w-0 flex-1 truncate" dir="auto">
              <TextLink href={placeOf(agent, "turns", undefined, { by: "session", user, open: id })}>
                {firstInput || "no input"}
              </TextLink>
            </span>
            <span className="shrink-0 text-soft tabular-nums">
              {plural(turns, "turn")}
              {typeof cost === "number" && ` · ${dollars(cost)}`} · {shortTime(lastAt)}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}
