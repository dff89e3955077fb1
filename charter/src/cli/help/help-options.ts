/** How a program asks for the answer. */
export const jsonHelp = `      --json                 print one JSON document`;

/** Where a command on a database looks. */
export const databaseHelp = `  -d, --database <file|url>  a SQLite file or postgres://… (default: CHARTER_DATABASE, else .charter/charter.db)`;

/** Which rows of a long list. */
export const pageHelp = `      --limit <n>            at most n rows, up to 1000 (default: 50); --offset <n> skips the first n`;

const lockHelp = `      --lock <file>          the lock file to compare with (default: charter.lock, if there is one)`;

/** What every command that assembles a prompt understands. */
export const promptHelp = `  -c, --charter <name|file>  artifact, assistant, sovereign, coder, resident, or your own .ts or .js file
  -i, --input <file|->       the facts of the turn, as JSON (docs/facts.md); default: an empty turn, now
      --edition <e>          full (default) or compact
      --limit-tokens <n>     trim the prompt to n tokens; --limit-chars <n> trims it to n characters
      --tokenizer <t>        o200k_base (default), cl100k_base or estimate
${lockHelp}
      --time-limit <s>       the timeout of a source, in seconds (default: 10); after it the source is unavailable
${jsonHelp}`;

/** Which agent of which database. */
export const agentHelp = `  -a, --agent <name>         an agent in the database
  -u, --user <id>            the user: their own sections, their time zone
      --channel <c>          the turn's channel: web, telegram, scheduled or terminal
${databaseHelp}`;

export const proposalHelp = `      --revision <n>         the revision you read; if the section has another by now, the change is refused as stale
      --reason <text>        why; it is kept with the amendment
      --actor <a>            who proposes: agent, user or operator
      --turn <id>            the turn the change comes from
      --key <k>              an idempotency key: a retry with the same key changes nothing
      --dry-run              check the change without making it
      --quote                check the change and print what it would cost, without making it
  -m, --model <name>         for --quote: provider/model (default: the agent's)`;

/** Where a coding agent works, and where its files for every project are. */
const homeHelp = `      --home <dir>           your own files for every project (default: ~/.charter/agent; with --config .pi ~/.pi/agent)
      --config <name>        a project's configuration directory: .charter (default), .sf, .pi, …`;

export const placeHelp = `      --cwd <dir>            the working directory (default: the current one)
${homeHelp}`;

const projectHelp = `      --trust, --no-trust    trust the project, or not, for this command only (default: what charter trust recorded)
      --tools <a,b>          active built-in tools (default: read,bash,edit,write; also grep, find, ls)
      --skill <path>         a skill or a directory of skills; may be repeated
      --extension <file>     an extension; may be repeated`;

export const directoryHelp = `${placeHelp}
${projectHelp}`;

const allowHelp = `      --allow <dir>          a further directory the file tools may use; bash is not confined`;

const settingsHelp = `      --settings <file>      the settings file (default: charter.config.ts here, if there is one that is trusted)`;

/** What a command that chats understands besides. */
export const codingHelp = `${lockHelp}
${databaseHelp}
${settingsHelp}
${directoryHelp}
${allowHelp}`;

/** The same for an editor, which says itself where each session works. */
export const acpHelp = `${lockHelp}
${databaseHelp}
${settingsHelp}
${homeHelp}
${projectHelp}
${allowHelp}`;

/** What commands that run a service understand. */
export const serviceHelp = `  -m, --model <name>         provider/model for agents that name none
      --window <tokens>      the most tokens that model takes (default: what is known or learned)
      --zone <zone>          the time zone of users who have none (default: this machine's)
${settingsHelp}
      --trust, --no-trust    use the settings files here, or go on without, for this command only`;
