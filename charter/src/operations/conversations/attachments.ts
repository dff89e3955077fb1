import { agent, user } from "../common-fields.ts";
import { text } from "../field.ts";
import { operation } from "../operation.ts";

const getAttachment = operation({
  name: "turns.attachment",
  says: "Get a picture or a file that came with a turn",
  about: "Only for the user whose turn it came with. Browsers save it; only pictures are shown.",
  route: "GET /agents/{agent}/attachments/{digest}",
  who: "person",
  sends: "application/octet-stream",
  input: {
    agent,
    digest: text("As in the turn it came with.", {
      form: /^[0-9a-f]{64}$/,
      reason: "must be a SHA-256 in lower-case hex",
    }),
    user: user.says("The user; only for operators, who are themselves otherwise."),
  },
  answer: text(),
  statuses: { 200: "Its bytes." },
  refuses: [410],
});

export const operations = [getAttachment];
