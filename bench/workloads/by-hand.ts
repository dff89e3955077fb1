import { DatabaseSync } from "node:sqlite";
import pg from "pg";

export type Said = { readonly prompt: string; readonly input: string; readonly reply: string };

const tables = (id: string) => [
  `create table if not exists message (id ${id} primary key, session text, role text, text text)`,
  "create index if not exists message_session on message (session, id)",
  `create table if not exists prompt (id ${id} primary key, session text, text text)`,
];

/** A turn as many programs have it: a table of messages, and one of prompts. Nothing is checked, leased or billed. */
export function byHandOnSqlite(path: string) {
  const handle = new DatabaseSync(path);
  handle.exec("pragma journal_mode = wal; pragma synchronous = full");
  for (const table of tables("integer")) handle.exec(table);
  const past = handle.prepare("select role, text from message where session = ? order by id desc limit 20");
  const say = handle.prepare("insert into message (session, role, text) values (?, ?, ?)");
  const keep = handle.prepare("insert into prompt (session, text) values (?, ?)");
  return {
    turn: (session: string, { prompt, input, reply }: Said, keepsPrompt: boolean) => {
      const messages = past.all(session).reverse();
      const request = { system: prompt, messages: [...messages, { role: "user", text: input }] };
      if (keepsPrompt) keep.run(session, request.system);
      handle.exec("begin immediate");
      say.run(session, "user", input);
      say.run(session, "assistant", reply);
      handle.exec("commit");
    },
    close: () => handle.close(),
  };
}

/** The same on PostgreSQL, with as many connections as Charter has. */
export async function byHandOnPostgres(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  for (const table of tables("bigserial")) await pool.query(table);
  const past = "select role, text from message where session = $1 order by id desc limit 20";
  const say = "insert into message (session, role, text) values ($1, 'user', $2), ($1, 'assistant', $3)";
  const keep = "insert into prompt (session, text) values ($1, $2)";
  return {
    turn: async (session: string, { prompt, input, reply }: Said, keepsPrompt: boolean) => {
      const messages = (await pool.query(past, [session])).rows.reverse();
      const request = { system: prompt, messages: [...messages, { role: "user", text: input }] };
      if (keepsPrompt) await pool.query(keep, [session, request.system]);
      await pool.query(say, [session, input, reply]);
    },
    close: () => pool.end(),
  };
}
