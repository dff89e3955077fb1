import { either, flag, text } from "../field.ts";
import { operation } from "../operation.ts";
import { sentBytes, sentRequest } from "./sent-fields.ts";

const replayTurn = operation({
  name: "turns.replay",
  says: "Print the exact bytes that were sent to the model",
  command: "replay <turn>",
  examples: [
    ["charter replay <turn>", "the last step of a turn"],
    ["charter replay <turn>/1", "the first step"],
    ["charter replay <turn> | sha256sum", "the digest in its receipt"],
    ["charter replay <turn> --request", "the whole request: tools, system, messages"],
  ],
  notes:
    "Without --request only the words of the prompt are printed. The bytes go to standard output; the verification, and the name of each slot if there are several, to standard error. If the bytes were erased or changed, that is an error (exit code 2).",
  who: "operator",
  input: {
    turn: text("A turn; a step of it is named as <turn>/<step>."),
    verify: flag("Only verify the bytes, do not print them.").optional(),
    request: flag("The whole request as the model was given it, with token counts.").optional(),
    body: flag("The body that went out to the provider, and nothing else.").optional(),
    curl: flag("The command that sends it again; the key is a variable in it.").optional(),
  },
  answer: either(sentBytes, sentRequest),
});

export const operations = [replayTurn];
