import type { UserAnswer } from "charter/answers";
import { useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, request } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { Loading, Page, Trouble } from "../../app/page.tsx";
import { housePlaceOf, placeOf, useAsked } from "../../app/place.ts";
import { type Column, figures, Links, SortedTable } from "../../app/sorted-table.tsx";
import { Choices, Field, Input } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, dollars, plural, shortTime } from "../../kit/words.ts";
import { Access } from "./access.tsx";
import { Acts } from "./acts.tsx";
import { Kept } from "./kept.tsx";

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
            <TextLink href={housePlaceOf("people")}>People</TextLink> ·{" "}
            <TextLink href={housePlaceOf("money", undefined, { user, days: "all", by: "agent" })}>
              {dollars(sum(({ cost }) => cost))}
            </TextLink>{" "}
            for{" "}
            {plural(
              sum((one) => one.turns),
              "turn",
            )}{" "}
            over all agents · <Zone user={user} zone={data.zone} />
          </>
        )
      }
      actions={data && <Acts user={user} agent={agent} agents={agents} />}
    >
      <Trouble problem={error} />
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
      {data && <Access user={user} />}
    </Page>
  );
}

function Withs({ user, rows }: { readonly user: string; readonly rows: readonly With[] }) {
  const turns = (agent: string, query: Readonly<Record<string, string>> = {}) =>
    placeOf(agent, "turns", undefined, { user, ...query });
  const columns: readonly Column<With>[] = [
    {
      name: "Agent",
      by: ({ agent }) => agent,
      show: ({ agent }) => <TextLink href={placeOf(agent, "prompt", undefined, { user })}>{agent}</TextLink>,
    },
    figures(
      "Turns",
      (one) => one.turns,
      count,
      ({ agent }) => turns(agent),
    ),
    figures(
      "Cost",
      ({ cost }) => cost,
      dollars,
      ({ agent }) => housePlaceOf("money", undefined, { agent, user, days: "all" }),
    ),
    figures(
      "Errors",
      ({ failed }) => failed,
      count,
      ({ agent }) => turns(agent, { event: "failed" }),
    ),
    figures(
      "Last turn",
      ({ lastAt }) => (lastAt === null ? null : Date.parse(lastAt)),
      (at) => shortTime(new Date(at).toISOString()),
      ({ agent }) => turns(agent),
    ),
    {
      name: "Channels",
      show: ({ agent, channels }) => <Links of={channels.map((channel) => [channel, turns(agent, { channel })])} />,
    },
  ];
  return <SortedTable caption="Agent by agent" {...{ columns, rows }} keyOf={({ agent }) => agent} />;
}

/** The person's time zone: click it to change it. */
function Zone({ user, zone }: { readonly user: string; readonly zone: string | null }) {
  const [draft, setDraft] = useState<string>();
  const act = useAct();
  const save = async () => {
    const wanted = draft?.trim() ?? "";
    const body = { zone: wanted === "" ? null : wanted };
    if (await act.run(() => request(`/users/${encodeName(user)}`, { method: "PUT", body })))
      setDraft((now) => (now === draft ? undefined : now));
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
