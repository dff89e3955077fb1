import { databaseHelp } from "./prompt-options.ts";

export const help = `charter replay: the very bytes that were sent

  charter replay <turn>                  the last step of a turn
  charter replay <turn>/1                its first
  charter replay <turn> | sha256sum      the digest its receipt proves them by

      --verify               only prove them
${databaseHelp}
      --json                 one JSON document: slots, digests, the receipt

Standard output holds the bytes and nothing else; the proof goes to standard error, and so does the name of each slot
where there are several. What was erased or changed cannot be proved: that is a problem (exit code 2).`;
