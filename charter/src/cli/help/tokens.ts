import { databaseHelp } from "./prompt-options.ts";

export const help = `charter tokens: keys to the HTTP API

  charter tokens                                     all of them; their words are not kept, only a digest
  charter tokens create --operator                   may do everything
  charter tokens create --user bo                    bo's own instructions, memories, turns, schedules
  charter tokens create --user bo --agent ada        the same, with one agent only
  charter tokens create --agent ada                  ada's own tools, for a program that runs her
  charter tokens create --kind agent --agent ada --user bo     the same tools, for bo
  charter tokens revoke <id>
  charter tokens sign-in                             a link that signs the operator in at a running server, once

      --name <words>         what it is for
      --days <n>             it ends by itself; without it, when it is revoked
      --url <address>        of the server, for sign-in (CHARTER_URL, http://127.0.0.1:4747)
${databaseHelp}
      --json                 one JSON document, for scripts

  TOKEN=$(charter tokens create --user bo)
  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:4747/api/me`;
