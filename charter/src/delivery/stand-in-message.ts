import { once, type StandInRule } from "./stand-in-move.ts";
import { messagesIn } from "./stand-in-view.ts";

/** What the stand-in does in the turns of an agent that lives by itself. */
export const messageRules: readonly StandInRule[] = [
  {
    when: /^This turn is your own\b/,
    offered: ["nothing_to_report"],
    move: once(() => ({ nothing_to_report: { because: "A script has nothing to do by itself." } })),
  },
  {
    when: /messages are for you to answer/,
    offered: ["reply"],
    move: (_, { asked, steps }) =>
      steps.length > 0
        ? undefined
        : {
            calls: messagesIn(asked).map(({ id, words }) => ({
              name: "reply",
              input: JSON.stringify({ message: id, body: `(stand-in model) You wrote: “${words}”.` }),
            })),
          },
  },
];
