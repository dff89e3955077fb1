/** Where a command on a database looks. */
export const databaseHelp = `  -d, --database <file|url>  a file, or postgres://…; else CHARTER_DATABASE, else .charter/charter.db`;

/** What every command that assembles a prompt understands. */
export const promptHelp = `  -c, --charter <name|file>  artifact, assistant, sovereign, coder, resident, or your own .ts or .js file
  -i, --input <file|->       the facts, as JSON (docs/facts.md); none: an empty turn, now
      --edition <e>          full (default) or compact
      --limit-tokens <n>     fit into so many tokens; --limit-chars <n> into so many characters
      --tokenizer <t>        o200k_base (default), cl100k_base or estimate
      --lock <file>          compare with this lock (default: charter.lock, where there is one)
      --time-limit <s>       seconds a source may take before it counts as unavailable (10)
      --json                 one JSON document, for scripts`;

/** Which agent of which database. */
export const agentHelp = `  -a, --agent <name>         an agent of the database, instead of --charter
  -u, --user <id>            for this user: their own sections, their time zone
      --channel <c>          where the turn comes from: web, telegram, scheduled, terminal
${databaseHelp}`;

export const proposalHelp = `      --revision <n>         the revision the change was made against; another one by now: refused as stale
      --reason <words>       why
      --actor <a>            whose hand: agent, user or operator
      --turn <id>            the turn it comes from
      --key <k>              the same key, the same amendment: a retry changes nothing
      --dry-run              judge it, change nothing
      --quote                judge it, and say what it would cost; change nothing
  -m, --model <name>         for --quote: the model, as provider/model; else the agent's`;
