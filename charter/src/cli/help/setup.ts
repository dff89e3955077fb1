import { databaseHelp, jsonHelp, pageHelp } from "./help-options.ts";

export const pages = {
  agents: `charter agents: list, add, configure and remove agents

  charter agents                                     list them; --all: also those that were removed
  charter agents add ada --charter assistant         add one (or: create); creates the database if there is none
  charter agents set ada --model claude-sonnet-4-5   change only what is given
  charter agents label ada "Front desk"              what people see in place of its name; "" takes it away
  charter agents show ada                            print one with all its settings
  charter agents remove ada                          freeze it, save all of it to a file, and take it out of every list
  charter agents add ada -c resident --relay wss://relay.example.org --owner npub1… --new-key ada.key
                                                     one whose core memory is on Nostr, with a new key pair

  -c, --charter <name|file>  artifact, assistant, sovereign, coder, resident, or your own .ts or .js file, relative to
                             the directory a command runs in
      --model <name,…>       the model it uses; others behind it are asked on an outage
      --settings <file|->    the settings of its charter, as one JSON object (docs/facts.md). set merges them into
                             those there are: a name that is given replaces its value, the fields of an object one by
                             one, and null removes. A name the charter does not read is refused.
                             "original" holds the original texts of sections
      --second-opinion <model>
                             reviews what the agent and its users propose: the screen only knows a list of phrasings
                             (docs/guards.md); "" takes it away
      --replace              set: --settings are all there are, and the others go
      --label <text>         what people see in place of its name; the name itself never changes
  -o, --output <file>        remove: the file (default: its name and the time, .checkpoint)
      --erase                remove: also delete every word of it and of all who spoke with it. What its chains need
                             stays, so charter verify holds. Asks first; --yes does not
      --relay <address>      a relay that its core memory is on, wss:// or https://; may be repeated
      --owner <npub>         the public key of whose agent it is, npub or hex
      --key <name>           what its key is called in charter.config.ts (default: as the agent)
      --new-key <file>       make a key pair, and write the secret key to this new file (docs/resident.md)
${pageHelp}
${databaseHelp}
${jsonHelp}

  echo '{"original":{"soul":"Be kind.","identity":{"name":"Ada"}}}' | charter agents add ada -c assistant --settings -`,

  users: `charter users: list, invite and configure users

  charter users                                      whoever was set up, invited or linked, or took a turn
  charter users invite bo --agent ada                print a link that lets bo in at the page for users: once, in 7 days
  charter users invite people.csv --out links.csv    a link for each person in the file, or for nobody
  charter users invitations                          list them: open, used, revoked or expired
  charter users invitations revoke bo                take back what is open, by user or by id
  charter users identities                           who signs in at your issuer (oidc) as which user
  charter users unbind bo                            nobody signs in there as bo any more; bo is signed out
  charter users create bo --zone Europe/Berlin       add a user, with or without a time zone
  charter users set bo --zone Europe/Berlin          change the time zone; "" removes it
  charter users link bo --agent ada                  print a code that links a Telegram chat to bo: once, in 10 minutes

people.csv begins with the names of its columns: user, and if you like email, agent and zone. The address is written
beside the link, and kept nowhere. Who was invited before is left alone, so a longer file can be given again.

  -a, --agent <name>         the agent (default: the only one there is)
      --days <n>             for invite: good for n days, at most 90 (default: 7)
      --again                for invite: new links also for who was invited before; open ones end
  -o, --out <file>           for invite: write the links there (user,agent,email,link,expires), for your eyes only
      --url <address>        for invite: the server's address, as for charter tokens sign-in
      --zone <zone>          the user's time zone; prompts tell the time in it
${pageHelp}
${databaseHelp}
${jsonHelp}`,

  tokens: `charter tokens: list, create and revoke tokens for the HTTP API

  charter tokens                                     list them; only a digest of each token is stored
  charter tokens create --operator                   allows everything
  charter tokens create --user bo                    allows bo's own instructions, notes, turns and schedules
  charter tokens create --user bo --agent ada        the same, with one agent only
  charter tokens create --agent ada                  allows calling ada's tools, for a program that runs her
  charter tokens create --kind agent --agent ada --user bo     the same tools, for bo
  charter tokens create --kind inbox --agent ada --name shop   allows posting messages to ada and reading the replies;
                                                     their senders are called shop/…
  charter tokens revoke <id>
  charter tokens sign-in                             print a link that signs the operator in, once
  charter tokens sign-in --user bo --agent ada       print a link that signs bo in at the page for users, once

      --name <text>          what the token is for
      --days <n>             expires after n days (default: never)
      --url <address>        for sign-in: the server's address (default: CHARTER_URL, else url of a
                             trusted charter.config.ts, else http://127.0.0.1:4747)
${databaseHelp}
${jsonHelp}

  TOKEN=$(charter tokens create --user bo)
  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:4747/api/me`,

  schedules: `charter schedules: list, add and cancel scheduled turns

  charter schedules                                  list them, the next one first
  charter schedules add --agent ada --user bo --cron "0 8 * * 1-5" "Sum up my mail."
  charter schedules add --agent ada --user bo --at 2026-12-24T09:00 "Say happy birthday to Cy."
  charter schedules cancel <id>
  charter schedules runs                             list past and current runs, newest first

  -a, --agent <name>         the agent
  -u, --user <id>            the user
      --cron <line>          minute hour day month weekday, in the user's time zone
      --at <time>            once; without an offset, in the user's time zone
      --zone <zone>          use this time zone instead of the user's
      --title <text>         the title (default: the input)
      --missed once|skip     if nothing was running at the time: run once, late (default), or not at all
      --overlap skip|queue   if the previous run is still going: skip this one (default), or run it afterwards
      --max-tries <n>        how often a failing run is tried, 1 to 10 (default: 3)
${pageHelp}
${databaseHelp}
${jsonHelp}

Schedules run while charter start or charter work is running: docs/schedules.md`,
} as const;
