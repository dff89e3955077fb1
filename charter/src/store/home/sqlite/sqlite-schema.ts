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
  },
};
