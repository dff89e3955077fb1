import { directoryHelp } from "./directory-options.ts";
import { agentHelp, promptHelp } from "./prompt-options.ts";

export const help = `charter show: the exact prompt a model would be given

  charter show --agent ada --user bo --channel telegram
  charter show --charter assistant --input facts.json
  charter show --charter sovereign --input facts.json --table
  charter show --charter coder --cwd ~/projects/app
  echo '{"channel":"web"}' | charter show -c assistant -i - --json | jq .tokens

${agentHelp}
${promptHelp}
      --table                a bar for each section's tokens instead of the text

Of a coding agent without --input, what is really there:
${directoryHelp}

Standard output holds the prompt and nothing else; cuts and notices go to standard error.
With --agent, settings and standing words come from the database; --input tells what only this turn knows (now, tools).`;
