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
  },
};
