import { databaseHelp } from "./prompt-options.ts";

export const help = `charter agents: the agents there are

  charter agents                                     all of them
  charter agents add ada --charter assistant         a new one (or create); makes the database where there is none
  charter agents set ada --model claude-sonnet-4-5   changes what is given, leaves the rest
  charter agents show ada                            one of them whole

  -c, --charter <name|file>  artifact, assistant, sovereign, coder, resident, or your own .ts or .js file, which is
                             looked for from the folder a command runs in
      --model <name>         the model it speaks through
      --settings <file|->    the operator's facts for its charter, as one JSON object (docs/facts.md); replaces all
                             of them. What a section is born with is "original"; "secondOpinion" names a model that is
                             asked about what the agent and its users propose (docs/guards.md)
      --limit <n>            so many, up to 1000 (50); --offset <n> from there on
${databaseHelp}
      --json                 one JSON document, for scripts

  echo '{"original":{"soul":"Be kind.","identity":{"name":"Ada"}}}' | charter agents add ada -c assistant --settings -`;
