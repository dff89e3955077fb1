/** A table that there is, with the columns and indexes it has by then. */
export type RemadeTable = { readonly name: string; readonly columns: string; readonly indexes: readonly string[] };

const scoped = "agent text not null, user_id text not null";

/** The tables whose rows often have more than a quarter of a page, as schema 6 had them. A published list is never edited. */
export function longRows(number: string): RemadeTable[] {
  return [
    {
      name: "steps",
      columns: `agent text not null, number ${number} not null, user_id text not null, turn text not null,
        step ${number} not null, at text not null, receipt text not null, previous text not null, digest text not null,
        erased_at text, came text, came_digest text, primary key (agent, number)`,
      indexes: ["create index steps_turn on steps (turn, step)"],
    },
    {
      name: "turns",
      columns: `id text not null primary key, ${scoped}, session text, channel text, input text not null, reply text,
        state text not null, tainted ${number} not null, started_at text not null, ended_at text, runner text,
        lease_seconds ${number}, leased_until text, micros ${number}`,
      indexes: [
        "create index turns_scope on turns (agent, id)",
        "create index turns_session on turns (session, started_at, id) where length(session) <= 200",
        "create index turns_running on turns (agent, id) where state = 'running'",
        "create index turns_ended on turns (agent, ended_at)",
      ],
    },
    {
      name: "exchanges",
      columns: `${scoped}, number ${number} not null, message text not null, sender_body text not null,
        agent_reply text not null, turn text not null, at text not null, primary key (agent, user_id, number)`,
      indexes: [],
    },
  ];
}
