import type {
  LinkListAnswer,
  NoteListAnswer,
  ScheduleListAnswer,
  SectionListAnswer,
  UserAnswer,
} from "charter/answers";
import { type ReactNode, useId, useState } from "react";
import { useLocation } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, getJson, request, sendJson, withQuery } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { Card, Loading, Page, Trouble } from "../../app/page.tsx";
import { housePlaceOf, placeOf, useAsked } from "../../app/place.ts";
import { Button, Choices, Field, Input } from "../../kit/field.tsx";
import { Dialog, Menu, MenuItem, MenuLine } from "../../kit/menu.tsx";
import { Copy, TextLink } from "../../kit/text-link.tsx";
import { count, dollars, plural, shortTime, timeText } from "../../kit/words.ts";
import { NoteCard } from "../memory/note-card.tsx";

type With = UserAnswer["with"][number];

/** One person: what they come to with each agent, and what one of them (`?agent=`) has of theirs. */
export function Person({ user }: { readonly user: string }) {
  const [asked, setAsked] = useAsked();
  const { data, error } = useApi<UserAnswer>(`/users/${encodeName(user)}`);
  const agents = data?.with.map(({ agent }) => agent) ?? [];
  const agent = agents.find((one) => one === asked("agent")) ?? agents[0];
  const sum = (of: (one: With) => number) => data?.with.reduce((all, one) => all + of(one), 0) ?? 0;
  return (
    <Page
      title={user}
      about={
        data && (
          <>
            <TextLink href={housePlaceOf("people")}>People</TextLink> · {dollars(sum(({ cost }) => cost))} for{" "}
            {plural(
              sum(({ turns }) => turns),
              "turn",
            )}{" "}
            over all agents · <Zone user={user} zone={data.zone} />
          </>
        )
      }
      actions={data && <Acts user={user} agent={agent} agents={agents} />}
    >
      {error && <Trouble problem={error} />}
      {!data && !error && <Loading />}
      {data && data.with.length === 0 && <p className="text-sm text-soft">No agent has anything of theirs yet.</p>}
      {data && data.with.length > 0 && <Withs user={user} rows={data.with} />}
      {agents.length > 1 && (
        <div className="mt-5">
          <Choices
            label="What this agent has of theirs"
            of={agents.map((one) => [one, one] as const)}
            chosen={agent as string}
            onChoose={(one) => setAsked({ agent: one })}
          />
        </div>
      )}
      {agent !== undefined && <Kept key={agent} agent={agent} user={user} />}
    </Page>
  );
}

function Withs({ user, rows }: { readonly user: string; readonly rows: readonly With[] }) {
  const heads = ["Turns", "Cost", "Errors", "Last turn"];
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-card">
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">Agent by agent</caption>
        <thead>
          <tr className="text-soft text-xs">
            <th scope="col" className="p-2 text-left font-normal">
              Agent
            </th>
            {heads.map((head) => (
              <th key={head} scope="col" className="p-2 text-right font-normal">
                {head}
              </th>
            ))}
            <th scope="col" className="p-2 text-left font-normal">
              Channels
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ agent, turns, cost, failed, lastAt, channels }) => (
            <tr key={agent} className="border-line border-t">
              <th scope="row" className="p-2 text-left font-medium">
                {agent}
              </th>
              <td className="p-2 text-right">
                <TextLink href={placeOf(agent, "turns", undefined, { user })}>{count(turns)}</TextLink>
              </td>
              <td className="p-2 text-right">
                <TextLink href={housePlaceOf("money", undefined, { agent, user, days: "all" })}>
                  {dollars(cost)}
                </TextLink>
              </td>
              <td className="p-2 text-right">
                <TextLink href={placeOf(agent, "turns", undefined, { user, event: "failed" })}>
                  {count(failed)}
                </TextLink>
              </td>
              <td className="p-2 text-right">{lastAt === null ? "–" : shortTime(lastAt)}</td>
              <td className="p-2">{channels.join(", ") || "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The person's time zone: click it to change it. */
function Zone({ user, zone }: { readonly user: string; readonly zone: string | null }) {
  const [draft, setDraft] = useState<string>();
  const act = useAct();
  const save = async () => {
    const wanted = draft?.trim() ?? "";
    const body = { zone: wanted === "" ? null : wanted };
    if (await act.run(() => request(`/users/${encodeName(user)}`, { method: "PUT", body }))) setDraft(undefined);
  };
  return (
    <>
      <button type="button" className="underline" onClick={() => setDraft(zone ?? "")}>
        {zone ?? "no time zone of their own"}
      </button>
      <FormDialog
        open={draft !== undefined}
        onClose={() => setDraft(undefined)}
        title={`Time zone of ${user}`}
        about="Prompts tell them the time in it. Empty: the operator’s."
        {...{ act }}
        does="Save"
        ready
        onSubmit={save}
      >
        <Field label="Time zone">
          <Input value={draft ?? ""} placeholder="Europe/Berlin" onChange={({ target }) => setDraft(target.value)} />
        </Field>
      </FormDialog>
    </>
  );
}

type KeptProps = { readonly agent: string; readonly user: string };

/** What one agent has of theirs. */
function Kept({ agent, user }: KeptProps) {
  const at = `/agents/${encodeName(agent)}`;
  const notes = useApi<NoteListAnswer>(withQuery(`${at}/memory`, { user, limit: 5 }));
  const sections = useApi<SectionListAnswer>(withQuery(`${at}/sections`, { user, limit: 100 }));
  const schedules = useApi<ScheduleListAnswer>(withQuery(`${at}/schedules`, { user, limit: 20 }));
  const links = useApi<LinkListAnswer>(withQuery(`${at}/links`, { user, limit: 20 }));
  const own = sections.data?.sections.filter(({ scope }) => scope === "user") ?? [];
  const act = useAct();
  const remove = (path: string) => act.run(() => request(withQuery(path, { user }), { method: "DELETE" }));
  return (
    <div className="mt-3 grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
      {act.problem && <Trouble problem={act.problem} />}
      <Part title="Conversations" to={placeOf(agent, "conversations", user)} words="All that was said">
        <TextLink href={placeOf(agent, "turns", undefined, { user, view: "sessions" })}>Session by session</TextLink>
      </Part>
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

type PartProps = {
  readonly title: string;
  readonly to?: string;
  readonly words?: string;
  readonly children: ReactNode;
};

function Part({ title, to, words, children }: PartProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0">
      <Card className="space-y-2 text-sm">
        <div className="flex items-baseline justify-between gap-2">
          <h2 id={id} className="font-medium">
            {title}
          </h2>
          {to && <TextLink href={to}>{words}</TextLink>}
        </div>
        {children}
      </Card>
    </section>
  );
}

type RemovableProps = { readonly does: string; readonly onRemove: () => void; readonly children: ReactNode };

function Removable({ does, onRemove, children }: RemovableProps) {
  return (
    <li className="flex items-center justify-between gap-2 [overflow-wrap:anywhere]">
      <span>{children}</span>
      <Button kind="quiet" aria-label={does} onClick={onRemove}>
        {does.split(" ")[0]}
      </Button>
    </li>
  );
}

type ActsProps = { readonly user: string; readonly agent: string | undefined; readonly agents: readonly string[] };
type Made = { readonly title: string; readonly words: string; readonly about: string };

/** What can be done about a person. What is made is shown once. */
function Acts({ user, agent, agents }: ActsProps) {
  const [asked, setAsked] = useAsked();
  const [, go] = useLocation();
  const [made, setMade] = useState<Made>();
  const { problem, run } = useAct();
  const make = async (title: string, about: string, path: string, body: object) => {
    const answer = await run(() => sendJson<Record<string, unknown>>(path, body));
    if (answer) setMade({ title, about, words: linkIn(answer) });
  };
  const save = () =>
    run(async () => {
      const kept = await getJson<unknown>(`/users/${encodeName(user)}/export`);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([JSON.stringify(kept, null, 2)], { type: "application/json" }));
      link.download = `${user.replaceAll(/[^\w-]/g, "_")}.json`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
  const at = agent === undefined ? undefined : `/agents/${encodeName(agent)}`;
  return (
    <>
      <Button onClick={save}>Export</Button>
      <Button kind="danger" onClick={() => setAsked({ erase: "all" }, { replace: false })}>
        Erase…
      </Button>
      <Menu label={`More about ${user}`}>
        {at && (
          <>
            <MenuItem
              onChoose={() =>
                make(
                  "Sign-in link",
                  `Signs ${user} in with ${agent}, once, within ten minutes.`,
                  `${at}/sign-in-links`,
                  { user },
                )
              }
            >
              Sign-in link for {agent}
            </MenuItem>
            <MenuItem
              onChoose={() =>
                make("Invitation", `Lets ${user} come to ${agent}, once, within seven days.`, `${at}/invitations`, {
                  people: [{ user }],
                  again: true,
                })
              }
            >
              Invite to {agent}
            </MenuItem>
            <MenuItem
              onChoose={() =>
                make("Token", `Opens the API as ${user} with ${agent}. It is shown this once.`, "/tokens", {
                  name: `${user} with ${agent}`,
                  kind: "user",
                  user,
                  agent,
                })
              }
            >
              Token for the API
            </MenuItem>
            <MenuItem onChoose={() => go(housePlaceOf("people", user, { chat: agent, as: user }))}>
              Chat as {user}
            </MenuItem>
            <MenuLine />
          </>
        )}
        <MenuItem onChoose={() => go(housePlaceOf("approvals", undefined, { user }))}>Their approvals</MenuItem>
      </Menu>
      {problem && <Trouble problem={problem} />}
      <Dialog
        open={made !== undefined}
        onClose={() => setMade(undefined)}
        title={made?.title ?? ""}
        about={made?.about}
      >
        <p className="break-all font-mono text-sm">{made?.words}</p>
        <p className="mt-3 text-right">
          <Copy text={made?.words ?? ""} what="it" />
        </p>
      </Dialog>
      <Erase
        user={user}
        agents={agents}
        open={asked("erase") !== undefined}
        onClose={() => setAsked({ erase: undefined })}
      />
    </>
  );
}

/** The one thing of what was made that is shown once: a link, or a secret. */
function linkIn(answer: Record<string, unknown>): string {
  const [first] = (answer.invitations as { url?: string }[] | undefined) ?? [];
  return String(answer.url ?? first?.url ?? answer.token ?? answer.secret ?? "");
}

type EraseProps = {
  readonly user: string;
  readonly agents: readonly string[];
  readonly open: boolean;
  readonly onClose: () => void;
};

/** Erases a person, with one agent or all: their id is typed first. */
function Erase({ user, agents, open, onClose }: EraseProps) {
  const act = useAct();
  const [, go] = useLocation();
  const [typed, setTyped] = useState("");
  const [agent, setAgent] = useState("");
  const erase = async () => {
    const path = withQuery(`/users/${encodeName(user)}`, { agent });
    if ((await act.run(() => request(path, { method: "DELETE" }))) === undefined) return;
    setTyped("");
    if (agent === "") go(housePlaceOf("people"));
    else onClose();
  };
  return (
    <FormDialog
      {...{ open, onClose, act }}
      title={`Erase ${user}`}
      about="All their text is deleted and cannot be restored. The history still shows that something happened; what was spent stays spent."
      does="Erase"
      ready={typed === user}
      onSubmit={erase}
    >
      <Choices
        label="With"
        of={[["", "all agents"] as const, ...agents.map((one) => [one, one] as const)]}
        chosen={agent}
        onChoose={setAgent}
      />
      <Field label={`Type ${user} to confirm`}>
        <Input value={typed} autoComplete="off" onChange={({ target }) => setTyped(target.value)} />
      </Field>
    </FormDialog>
  );
}
