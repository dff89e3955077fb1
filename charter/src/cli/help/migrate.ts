import { databaseHelp } from "./prompt-options.ts";

export const help = `charter migrate: the database's schema, up to date

  charter migrate                        makes the database where there is none
  charter migrate -d postgres://charter@db.example.org/charter

${databaseHelp}
      --json                 one JSON document, for scripts

A database made by a newer Charter is not touched.`;
