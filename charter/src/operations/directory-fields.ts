import { flag, list, text, type ValuesOf } from "./field.ts";

/** Options of commands that work in a directory of this machine. */

/** A text that is there where it is given. */
export function filled(says: string) {
  return text(says, { form: /[\s\S]/, reason: "is empty" });
}

export const lock = text("The lock file to compare with (default: charter.lock, if there is one).")
  .option("file")
  .optional();

/** Which settings file, for commands that ask models. */
export const settings = filled("The settings file (default: charter.config.ts here, if there is one that is trusted).")
  .option("file")
  .optional();

export const tokenizer = text("The way tokens are counted: o200k_base (default), cl100k_base or estimate.")
  .option("t")
  .optional();

/** Where a coding agent works, and where its files for every project are. */
export const places = {
  cwd: text("The working directory (default: the current one).").option("dir").optional(),
  home: text("Your own files for every project (default: ~/.charter/agent; with --config .pi ~/.pi/agent).")
    .option("dir")
    .optional(),
  config: text("A project's configuration directory: .charter (default), .sf, .pi, ….").option("name").optional(),
};

/** What of that directory is used. */
export const directory = {
  ...places,
  trust: flag("Trust the project, or not, for this command only (default: what charter trust recorded).")
    .orNot()
    .optional(),
  tools: text("Active built-in tools (default: read,bash,edit,write; also grep, find, ls).").option("a,b").optional(),
  skill: list(text(), "A skill or a directory of skills.").option("path").optional(),
  extension: list(text(), "An extension.").option("file").optional(),
  allow: list(text(), "A further directory the file tools may use; bash is not confined.").option("dir").optional(),
};

export type PlaceValues = ValuesOf<typeof places>;
export type DirectoryValues = ValuesOf<typeof directory>;
