export const help = `charter lock: pin the fixed words

  charter lock                           write charter.lock for the built-in charters and the project's own
  charter lock --charter ./agent.ts      add a charter of your own
  charter lock --diff                    what changed since it was written (exit code 1: something did)

      --lock <file>          another file than charter.lock
      --json                 one JSON document, for scripts`;
