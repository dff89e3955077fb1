import { DatabaseSync } from "node:sqlite";

/** The same turn by hand: a template, a model that answers at once, the two messages kept. */
const loaded = process.cpuUsage();
const database = new DatabaseSync(process.argv[2]);
database.exec("pragma journal_mode = wal; pragma synchronous = full");
database.exec(
  "create table if not exists messages (id integer primary key, session text, role text, text text) strict",
);
const opened = process.cpuUsage();
const insert = database.prepare("insert into messages (session, role, text) values (?, ?, ?)");
const ask = async (_system, _messages) => "Hello.";
const rules = "Answer in one sentence.";
const style = "Be brief.";
const input = "Are you there?";
insert.run("ada", "user", input);
const reply = await ask(`${rules}\n\n${style}`, [{ role: "user", text: input }]);
insert.run("ada", "assistant", reply);
process.stdout.write(`${reply}\n`);
const replied = process.cpuUsage();
database.close();
process.stdout.write(`${JSON.stringify([loaded, opened, replied])}\n`);
