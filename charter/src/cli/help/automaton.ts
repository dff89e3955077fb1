import { databaseHelp, jsonHelp, pageHelp } from "./help-options.ts";

export const pages = {
  inbox: `charter inbox: list messages to an agent and its replies; post, retry and discard messages

  charter inbox ada                                  list the messages that wait, oldest first, and count the others
  charter inbox ada --status dead                    list those that could not be answered
  charter inbox ada <id>                             one message: its words, every failure, the reply
  charter inbox replies ada                          list the replies, newest first
  charter inbox post ada --sender bo --body "Are you open?"    post a message; its sender is called operator/bo
  charter inbox retry ada <id>                       let a dead message wait again, or send a failed reply again
  charter inbox retry ada --all                      let all dead messages wait again
  charter inbox discard ada <id>                     withdraw a message that is dead or waits
  charter inbox list retry                           to list the messages of an agent called like a verb

      --status <s>           waiting (default), taken, answered, dead or withdrawn
      --sender <name>        with post: whom the message is from
      --body <text|->        with post: its words, 1 to 4,096 bytes; - reads them from standard input
      --id <id>              with post: an id of your own; the same message again is posted once
      --all                  with retry: all dead messages
      --by <name>            with retry and discard: who does it (default: operator)
${pageHelp}
${databaseHelp}
${jsonHelp}

Messages are answered while charter start or charter work is running: docs/automaton.md`,

  automaton: `charter automaton: show how an agent is that lives by itself; grant it money, price its messages, let it sleep, wake it

  charter automaton status ada                       state, tier, balance, runway, messages, the last changes of state
  charter automaton grant ada 5.00                   it may spend five dollars more
  charter automaton grant ada --micros 5000000       the same, in millionths of a dollar
  charter automaton grant ada -2.00                  two dollars of what is left are taken back
  charter automaton price ada                        what a message costs at least on its chain
  charter automaton price ada 0.001                  set that, in ETH; its key signs the transaction, and pays its fee
  charter automaton sleep ada                        it takes no turns until it is woken; its messages wait
  charter automaton sleep ada --until 2026-12-24T08:00:00Z
  charter automaton wake ada

      --until <time>         with sleep: it wakes by itself then (UTC, unless the time says otherwise)
      --micros <n>           with grant: the amount in millionths of a dollar
      --by <name>            with grant, sleep and wake: who does it (default: operator)
${databaseHelp}
${jsonHelp}

Which agents live by themselves is set in charter.config.ts: docs/automaton.md`,
} as const;
