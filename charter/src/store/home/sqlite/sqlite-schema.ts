import type { ColumnTypes } from "../migration.ts";

export const sqliteTypes: ColumnTypes = {
  bytes: "blob",
  number: "integer",
  counted: "integer primary key autoincrement",
  byKey: " without rowid",
  remade: ({ name, columns, indexes }) => [
    `create table ${name}_anew (${columns})`,
    `insert into ${name}_anew select * from ${name}`,
    `drop table ${name}`,
    `alter table ${name}_anew rename to ${name}`,
    ...indexes,
  ],
  own: {
    1: [
      "create virtual table memories_search using fts5(words, scope, content='', contentless_delete=1)",
      `create trigger memories_added after insert on memories begin
      insert into memories_search (rowid, words, scope) values (new.number, new.folded, hex(new.agent || char(31) || new.user_id));
    end`,
      `create trigger memories_removed after delete on memories begin
      delete from memories_search where rowid = old.number;
    end`,
    ],
    2: [],
    3: [],
    4: [],
    5: [],
    6: [],
    7: [],
    8: [
      "drop trigger memories_added",
      "drop trigger memories_removed",
      "drop table memories_search",
      // Stems are words already, and nothing but letters and digits: they are taken as they are.
      "create virtual table memories_search using fts5(stems, scope, content='', contentless_delete=1, tokenize='ascii')",
      `insert into memories_search (rowid, stems, scope)
        select number, '', hex(agent || char(31) || user_id) from memories`,
      `create trigger memories_added after insert on memories begin
      insert into memories_search (rowid, stems, scope)
        values (new.number, coalesce(new.stems, ''), hex(new.agent || char(31) || new.user_id));
    end`,
      `create trigger memories_changed after update of stems on memories begin
      delete from memories_search where rowid = old.number;
      insert into memories_search (rowid, stems, scope)
        values (new.number, coalesce(new.stems, ''), hex(new.agent || char(31) || new.user_id));
    end`,
      `create trigger memories_removed after delete on memories begin
      delete from memories_search where rowid = old.number;
    end`,
    ],
    9: [
      `create table turn_words (number integer primary key autoincrement, turn text not null unique,
        agent text not null, user_id text not null)`,
      "create index turn_words_scope on turn_words (agent, user_id)",
      // Which turns have a word, and nothing of where: words stand in it once for each turn, as they are compared.
      "create virtual table turns_search using fts5(words, content='', contentless_delete=1, tokenize='ascii', detail='none')",
      `create trigger turn_words_removed after delete on turn_words begin
      delete from turns_search where rowid = old.number;
    end`,
      // Nothing is less than any cost: it stands last, the dearest first.
      "create index turns_cost on turns (agent, micros, started_at, id)",
      "create index turns_duration on turns (agent, duration_ms, started_at, id)",
    ],
    10: [],
    11: [],
  },
};
