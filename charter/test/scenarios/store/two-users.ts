import { createFolder } from "../../cli.ts";
import type { Place } from "../../homes.ts";

/** Two users of “ada” in a database, each with words of their own, and a folder whose commands look at it. */
export function withTwoUsers(place: Place) {
  const now = JSON.stringify({ now: "2026-02-18T15:04:00Z" });
  const folder = createFolder({
    "now.json": now,
    "notes.txt": "mine",
    "soul.json": '{"original":{"soul":"Be kind."}}',
  });
  const charter = (...args: readonly string[]) => folder.charter([...args, "--database", place.url]);
  const show = (database: string) =>
    folder.charter(["show", "--agent", "ada", "--user", "bo", "--input", "now.json", "--database", database]).stdout;
  charter("agents", "add", "ada", "--charter", "assistant", "--settings", "soul.json");
  const amend = ["amend", "--agent", "ada", "--section", "instructions", "--operation", "rewrite", "--actor", "user"];
  charter(...amend, "--user", "bo", "--content", "Call me nightingale.");
  charter(...amend, "--user", "cy", "--content", "Be brief.");
  return { folder, charter, show };
}
