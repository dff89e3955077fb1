import { readFileSync } from "node:fs";
import { Problem } from "../prompt/problem.ts";

const promptHelp = `  -c, --charter <name|file>  artifact, assistant, sovereign, coder, resident, or your own .ts or .js file
  -i, --input <file|->       the facts, as JSON (docs/facts.md); none: an empty turn, now
      --edition <e>          full (default) or compact
      --limit-tokens <n>     fit into so many tokens; --limit-chars <n> into so many characters
      --tokenizer <t>        o200k_base (default), cl100k_base or estimate
      --lock <file>          compare with this lock (default: charter.lock, where there is one)
      --time-limit <s>       seconds a source may take before it counts as unavailable (10)
      --json                 one JSON document, for scripts`;

const pages: Readonly<Record<string, string>> = {
  show: `charter show: the exact prompt a model would be given

  charter show --charter assistant --input facts.json
  charter show --charter sovereign --input facts.json --table
  echo '{"channel":"web"}' | charter show -c assistant -i - --json | jq .tokens

${promptHelp}
      --table                a bar for each section's tokens instead of the text

Standard output holds the prompt and nothing else; cuts and notices go to standard error.`,
  why: `charter why: who wrote these words

  charter why --charter sovereign "lower number wins"
  charter why --charter coder --input facts.json --json "AGENTS.md"

${promptHelp}

Answers for every place the words stand in: section, layer, source, revision. Exit code 1: they are not there.`,
  amend: `charter amend: what would become of a change

  charter amend -c artifact -i facts.json -s prompt -o append --content "## Learned" --dry-run
  charter amend -c artifact -i facts.json -s prompt -o replace_section --marker "## Goals" --content "1. Rest" --dry-run
  charter amend -c sovereign -s 6 -o rewrite --content-file loop.md --dry-run --json

${promptHelp}
  -s, --section <name>       the section; a sovereign layer answers to its number too
  -o, --operation <o>        append, prepend, replace_section, rewrite, reset or revert
      --content <words>      or --content-file <file|->
      --marker <heading>     for replace_section: the heading, by level and title ("## Goals")
      --to <revision>        for revert
      --revision <n>         the revision the change was made against
      --reason <words>       why
      --actor <a>            agent (default), user or operator
      --dry-run              judge it, change nothing (needed until there is a store)

Exit code 0: accepted. 1: refused or held. Every objection comes back at once.`,
  lock: `charter lock: pin the fixed words

  charter lock                           write charter.lock for the built-in charters and the project's own
  charter lock --charter ./agent.ts      add a charter of your own
  charter lock --diff                    what changed since it was written (exit code 1: something did)

      --lock <file>          another file than charter.lock
      --json                 one JSON document, for scripts`,
  verify: `charter verify: are the fixed words those that were locked?

  charter verify

      --lock <file>          another file than charter.lock
      --json                 one JSON document, for scripts

A mismatch is a problem (exit code 2) that names the section.`,
  start: `charter start: the demo assistant

  charter start                          its prompt, and what each section costs`,
};

const overview = `charter: the system-prompt runtime for agents

  charter show      the exact prompt a model would be given, whole or as a table
  charter why       who wrote these words of it
  charter amend     what would become of a change (--dry-run)
  charter lock      pin the fixed words in charter.lock
  charter verify    compare them
  charter start     the demo assistant

Try:
  charter start
  charter show --charter sovereign --table
  charter why --charter sovereign "lower number wins"

charter <command> --help tells more. --version tells which one this is.`;

export function printHelp(command: string | undefined, commands: readonly string[]): number {
  if (command === undefined || command.startsWith("-")) {
    process.stdout.write(`${overview}\n`);
    return 0;
  }
  const page = Object.hasOwn(pages, command) ? pages[command] : undefined;
  if (page === undefined)
    throw new Problem(
      "usage",
      `There is no command “${command}”.`,
      `The commands are ${commands.join(", ")}; see charter --help.`,
    );
  process.stdout.write(`${page}\n`);
  return 0;
}

export function printVersion(): number {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  process.stdout.write(`${manifest.version}\n`);
  return 0;
}
