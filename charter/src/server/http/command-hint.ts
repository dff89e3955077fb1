/** How the command is typed where the server runs: `npx charter`, and what it needs to reach the same database. */
export type CommandHint = { readonly name: string; readonly options: string };

export function commandHint(given: {
  readonly command?: string | undefined;
  readonly commandOptions?: string | undefined;
}): CommandHint {
  return { name: given.command ?? "charter", options: given.commandOptions ?? "" };
}

/** A command as it is typed here: `tokens sign-in` to `npx charter tokens sign-in --database my.db`. */
export function commandLine({ name, options }: CommandHint, words: string): string {
  return [name, words, options].filter((one) => one !== "").join(" ");
}
