import { jsonHelp } from "./help-options.ts";

export const pages = {
  "acp probe": `charter acp probe: find out where an agent takes a system prompt, and whether it arrives

  charter acp probe -- npx @google/gemini-cli --acp
  charter acp probe --env MY_MODEL=small -- my-agent acp
  charter acp probe --all --json -- my-agent acp

Starts the agent in an empty directory, with PATH, an empty home and no keys of yours. Asks it what it can, in version 2
and 1 of the Agent Client Protocol. Then opens a session for each slot it advertises, with a code word in it, and takes a
turn. A model on this machine answers in place of a real one (Anthropic, OpenAI and Gemini APIs), so nothing is billed,
and the report says where the word was in that model's request:

  system role        the agent treats it as instructions
  user message       the model reads it, with the weight of what a user says
  nowhere            the agent asked the model without it
  unknown            the agent did not ask this model: no session, another provider, or a sign-in is needed

      --env <NAME=value>     a variable of the agent's environment; several times for several
      --inherit <NAME>       the same, with the value it has here: a key, for an agent that starts only with its own
      --sign-in <id>         the way to sign in (default: each that takes an API key, with a dummy key, if it is asked for)
      --all                  also try the slots that it does not advertise
      --time-limit <s>       seconds for each start of the agent (default: 60)
${jsonHelp}

The command goes after “--”. It runs with your rights, as every program you start does, and in another directory: name
files by their whole path.
Exit code 0: the word reached the model from the slot that Charter would use. 1: it did not, or that is unknown.`,
} as const;
