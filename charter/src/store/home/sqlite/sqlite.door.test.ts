import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { newFile } from "../../../../test/homes.ts";
import { raw, sql } from "../sql.ts";
import { sqlite } from "./sqlite.ts";

const program = `
  import { sqlite } from ${JSON.stringify(new URL("./sqlite.ts", import.meta.url).href)};
  import { sql } from ${JSON.stringify(new URL("../sql.ts", import.meta.url).href)};
  const [file, me] = process.argv.slice(1);
  const home = sqlite(file);
  let kept = 0;
  const write = async (index) => {
    for (const words of [\`\${me}-\${index}\`, \`common-\${index}\`])
      await home.write("everything", async (db) => {
        await db.run(sql\`insert into notes (words) values (\${words + ", begun"})\`);
        await db.run(sql\`insert into notes (words) values (\${words})\`);
      }).then(() => kept++, () => {});
  };
  await Promise.all(Array.from({ length: 20 }, async (_, lane) => {
    for (let index = lane; index < 100; index += 20) await write(index);
  }));
  await home.close();
  process.stdout.write(String(kept));
`;

test("several processes with many writes at once: all that was acknowledged is there, and nothing by halves", async () => {
  const place = await newFile();
  const home = sqlite(place.url);
  await home.migrate();
  await home.write("everything", (db) => db.run(raw("create table notes (words text not null unique)")));
  const told = await Promise.all(
    ["a", "b", "c"].map((me) => {
      const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", program, place.url, me]);
      return Promise.all([text(child.stdout), text(child.stderr)]);
    }),
  );
  expect(told.map(([, complaint]) => complaint)).toEqual(["", "", ""]);
  const kept = told.reduce((sum, [count]) => sum + Number(count), 0);
  // Each its own hundred, and the common hundred whoever came first.
  const rows = await home.read("everything", (db) => db.all(sql`select words from notes`));
  expect([kept, rows.length]).toEqual([400, 800]);
  await home.close();
  await place.remove();
});
