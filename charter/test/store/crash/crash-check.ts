import type { Database } from "../../../src/store/home/database.ts";
import { type Query, raw, sql } from "../../../src/store/home/sql.ts";
import type { Store } from "../../../src/store/index.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { type Acknowledged, agent, limits } from "./writer.ts";

/** Changes that were acknowledged and are not there. */
export async function findLost(store: Store, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const lost: string[] = [];
  for (const one of acknowledged) if (!(await isThere(store, one))) lost.push(`lost: ${JSON.stringify(one)}`);
  return lost;
}

async function isThere(store: Store, one: Acknowledged): Promise<boolean> {
  switch (one.did) {
    case "amended": {
      const scope = one.user === "" ? { agent } : { agent, user: one.user };
      const found = await store.history.at(scope, one.section, one.revision);
      return found?.digest === one.digest && found.after !== null;
    }
    case "opened":
      return (await store.turns.get(one.turn)).id === one.turn;
    case "closed":
      return (await store.turns.get(one.turn)).state === "answered";
    case "stepped": {
      const sent = await store.steps.replay(one.turn, one.step);
      return sent.digest === one.digest && sha256(sent.slots[0]?.text ?? "") === one.sent;
    }
    case "posted":
      return (
        (await rows(store, sql`select 1 as x from inbox where agent = ${agent} and id = ${one.message}`)).length === 1
      );
    case "learned": {
      const kept = await store.windows.get({ model: "m1", address: one.address });
      return kept !== undefined && kept.tokens <= one.tokens;
    }
    case "answered": {
      const inbox = sql`select i.id from inbox i join outbox o on o.agent = i.agent and o.message = i.id
        where i.agent = ${agent} and i.id = ${one.message} and i.status = 'answered' and o.id = ${one.reply}`;
      return (await rows(store, inbox)).length === 1;
    }
  }
}

const rows = (store: Store, query: Query) => store.home.read("everything", (db) => db.all<object>(query));

/** Each query finds what only half a change could have left; none of them may find anything. */
const halves: readonly [what: string, query: string][] = [
  [
    "a standing that is not its newest amendment, or a gap in the revisions",
    `select a.user_id, a.section from (select user_id, section, max(revision) as newest, count(*) as n from amendments
      group by user_id, section) a left join standings s on s.agent = '${agent}' and s.user_id = a.user_id and s.section = a.section
      where s.revision is null or s.revision <> a.newest or a.newest <> a.n`,
  ],
  [
    "a standing whose digest is another amendment's",
    `select s.user_id, s.section from standings s left join amendments a on a.agent = s.agent and a.user_id = s.user_id
      and a.section = s.section and a.revision = s.revision where a.digest is null or a.digest <> s.digest`,
  ],
  [
    "an amendment that does not follow from the one before",
    `select a.user_id, a.section, a.revision from amendments a join amendments b on b.agent = a.agent and b.user_id = a.user_id
      and b.section = a.section and b.revision = a.revision - 1 where a.previous <> b.digest or a.before_digest <> b.after_digest`,
  ],
  [
    "an amendment without its words",
    `select a.revision from amendments a left join texts t on t.owner = a.user_id and t.digest = a.after_digest
      where t.digest is null`,
  ],
  [
    "an amendment without its event, or the other way round",
    `select * from (select (select count(*) from amendments) as n, (select count(*) from events where kind = 'amended') as m) c
      where n <> m`,
  ],
  [
    "a turn that ended without what it spent, or the other way round",
    `select * from (select (select count(*) from turns where state = 'answered') as n,
      (select coalesce(sum(micros), 0) from spending) as m) c where n <> m`,
  ],
  [
    "words of a turn that are in the index and waiting for it, or neither",
    `select t.id from turns t left join turn_words w on w.turn = t.id
      where t.state <> 'running' and (t.worded = 1) <> (w.turn is not null)`,
  ],
  ["a step without its turn", "select s.number from steps s left join turns t on t.id = s.turn where t.id is null"],
  [
    "a step that does not follow from the one before",
    `select s.number from steps s left join steps b on b.agent = s.agent and b.number = s.number - 1
      where s.number > 1 and (b.digest is null or b.digest <> s.previous)`,
  ],
  [
    "a chain that does not end where its steps do",
    `select c.agent from hash_chains c left join steps s on s.agent = c.agent and s.number = c.number
      where s.digest is null or s.digest <> c.digest or c.number <> (select count(*) from steps where agent = c.agent)`,
  ],
  [
    "a receipt without its words",
    `select s.number from steps s left join texts t on t.owner = s.user_id and t.digest = s.receipt where t.digest is null`,
  ],
  [
    "an answered message without its one reply, or a reply without its message",
    `select i.id from inbox i left join (select message, count(*) as n from outbox group by message) o on o.message = i.id
      where i.status = 'answered' and (o.n is null or o.n <> 1)
      union all select o.id from outbox o left join inbox i on i.agent = o.agent and i.id = o.message
      where i.status is null or i.status <> 'answered'`,
  ],
  [
    "an answer without its event",
    `select * from (select (select count(*) from outbox) as n,
      (select count(*) from events where kind = 'message-answered') as m) c where n <> m`,
  ],
  [
    "an exchange without its conversation, or its reply",
    `select e.message from exchanges e left join conversations c on c.user_id = e.user_id
      left join outbox o on o.message = e.message where c.user_id is null or o.id is null`,
  ],
  [
    "a conversation with more or fewer exchanges than it says",
    `select c.user_id from conversations c left join exchanges e on e.user_id = c.user_id group by c.user_id, c.exchanges
      having max(e.number) is null or max(e.number) <> c.exchanges
        or count(*) <> case when c.exchanges < ${limits.exchanges} then c.exchanges else ${limits.exchanges} end`,
  ],
  [
    "more conversations than are kept",
    `select count(*) as n from conversations having count(*) > ${limits.counterparts}`,
  ],
];

/** What is visible of a change that was never finished. */
export async function findHalves(db: Database): Promise<string[]> {
  const found: string[] = [];
  for (const [what, query] of halves)
    for (const row of await db.all<object>(raw(query))) found.push(`half: ${what}: ${JSON.stringify(row)}`);
  return [...found, ...(await wrongCompany(db)), ...(await wrongWords(db))];
}

/** Those who are still spoken with are the last who were answered, each with the last answers as their exchanges. */
async function wrongCompany(db: Database): Promise<string[]> {
  const events = await db.all<{ user_id: string; detail: string }>(
    sql`select user_id, detail from events where kind = 'message-answered' order by id desc limit ${500}`,
  );
  const answers = events.map(({ user_id, detail }) => ({ user_id, message: JSON.parse(detail).message as string }));
  const last = Map.groupBy(answers, ({ user_id }) => user_id);
  const expected = [...last.keys()].slice(0, limits.counterparts);
  const there = await db.all<{ user_id: string }>(sql`select user_id from conversations order by active desc`);
  const names = there.map(({ user_id }) => user_id);
  const wrong = names.join() === expected.join() ? [] : [`half: spoken with ${names}, answered ${expected}`];
  for (const user of expected) {
    const exchanges = await db.all<{ message: string }>(
      sql`select message from exchanges where agent = ${agent} and user_id = ${user} order by number desc`,
    );
    const messages = exchanges.map(({ message }) => message);
    const latest = (last.get(user) ?? []).slice(0, messages.length).map(({ message }) => message);
    if (messages.join() !== latest.join()) wrong.push(`half: exchanges ${messages} with ${user}, answers ${latest}`);
  }
  return wrong;
}

async function wrongWords(db: Database): Promise<string[]> {
  const standings = await db.all<{ section: string; words: string; after_digest: string }>(
    sql`select s.section, s.words, a.after_digest from standings s join amendments a on a.agent = s.agent
      and a.user_id = s.user_id and a.section = s.section and a.revision = s.revision`,
  );
  return standings
    .filter(({ words, after_digest }) => sha256(words) !== after_digest)
    .map(({ section }) => `half: the words of “${section}” are not those of its amendment`);
}
