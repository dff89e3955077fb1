import { spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { inject } from "vitest";
import { importSupabase } from "../../../src/cli/commands/maintain/import.ts";
import { sql } from "../../../src/store/home/sql.ts";
import { createStore, type Store } from "../../../src/store/index.ts";
import { bareEnvironment, command } from "../../cli.ts";
import { newPlace, newPostgres, type PlaceName, queryAsOwner } from "../../homes.ts";

/** How far an import has come, as the database shows. */
export type Moment = readonly [what: string, isReached: (counts: Readonly<Record<string, number>>) => boolean];

const users = 40;
const user = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;

/** Two agents, one of them switched off; forty users with rows of three kinds, and what was noted about each. */
const old = `
  create table agent_configurations (id uuid, agent_name text, soul text, identity jsonb, is_active boolean);
  create table user_agent_prompt_customizations (user_id uuid, agent_name text, customization_type text, content jsonb,
    priority int, is_active boolean);
  create table agent_long_term_memory (id bigserial primary key, user_id uuid, agent_id text, notes text,
    updated_at timestamptz default '2026-01-03T00:00:00Z');
  insert into agent_configurations values ('${user(998)}', 'assistant', 'You sort mail.', '{"name":"Ada"}', true),
    ('${user(999)}', 'retired', 'Rest.', null, false);
  insert into user_agent_prompt_customizations
    select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, case when n % 4 = 0 then 'retired' else 'assistant' end,
      kind, to_jsonb(case when n % 5 = 0 and kind = 'rules' then '# Layer 0: Law' else kind || ' ' || n end), 1, kind <> 'off'
    from generate_series(1, ${users}) n, unnest(array['rules', 'style', 'off']) kind;
  insert into agent_long_term_memory (user_id, agent_id, notes)
    select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'assistant', E'Likes tea.\\n\\nIs number ' || n
    from generate_series(1, ${users}) n;`;

/** The moments at which an import is killed, each in the middle of something. */
export const moments: readonly Moment[] = [
  ["the first agent is there", ({ agents = 0 }) => agents > 0],
  ["the first words are there", ({ amendments = 0 }) => amendments > 0],
  ["words wait for a person", ({ held = 0 }) => held > 0],
  ["half of the words are there", ({ amendments = 0 }) => amendments >= 15],
  ["the first notes are there", ({ memories = 0 }) => memories > 0],
  ["half of the notes are there", ({ memories = 0 }) => memories >= users],
  ["an agent is frozen", ({ frozen = 0 }) => frozen > 0],
];

/** What is in the database when an import was killed at this moment and run again; without one, when nobody killed it. */
export async function importedAfter(home: PlaceName, moment?: Moment): Promise<unknown> {
  const from = await newPostgres(inject("postgres"), "empty");
  const place = await newPlace(home);
  await queryAsOwner(from.url, old);
  const store = await createStore(place.open());
  try {
    const args = ["import", "supabase", "--from", from.url, "--database", place.url, "--json"];
    if (moment) await killImport(args, async () => moment[1](await countsIn(store)));
    await importSupabase({ from: from.url, agents: [], dryRun: false, database: place.url });
    return await contentOf(store);
  } finally {
    await store.close();
    await place.remove();
    await from.remove();
  }
}

/** A real process; killed without a word as soon as it is to be. */
async function killImport(args: readonly string[], isToDie: () => Promise<boolean>): Promise<void> {
  const child = spawn(process.execPath, [command, ...args], { env: bareEnvironment(), stdio: "ignore" });
  const ended = once(child, "close");
  while (child.exitCode === null && !(await isToDie())) await setImmediate();
  child.kill("SIGKILL");
  await ended;
}

const tables = ["agents", "amendments", "held", "memories"] as const;

async function countsIn({ home }: Store): Promise<Record<string, number>> {
  return home.read("everything", async (db) => {
    const row = await db.one<Record<string, number>>(sql`select (select count(*) from agents) as agents,
      (select count(*) from agents where frozen is not null) as frozen, (select count(*) from amendments) as amendments,
      (select count(*) from held) as held, (select count(*) from memories) as memories`);
    return Object.fromEntries([...tables, "frozen"].map((name) => [name, Number(row?.[name])]));
  });
}

/** Everything that came over, without what says when and under which number. */
function contentOf({ home }: Store): Promise<unknown> {
  return home.read("everything", async (db) => ({
    agents: await db.all(sql`select name, charter, model, settings, frozen from agents order by name`),
    users: await db.all(sql`select id from users order by id`),
    standings: await db.all(sql`select agent, user_id, section, revision, words from standings order by 1, 2, 3`),
    amendments: await db.all(sql`select agent, user_id, section, revision, actor, reason, key from amendments
      order by 1, 2, 3, 4`),
    held: await db.all(sql`select agent, user_id, section, after, status, key from held order by 1, 2, 3, 6`),
    memories: await db.all(sql`select agent, user_id, text, tainted, at from memories order by 1, 2, 3`),
    imported: await db.all(sql`select agent, user_id, detail from events where kind = 'imported' order by 1, 2, 3`),
  }));
}
