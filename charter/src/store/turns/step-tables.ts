import type { StepResult } from "../../prompt/step-result.ts";
import { bytes, count, digest, id, json, name, oneOf, text, time, truth } from "../home/column.ts";
import { table } from "../home/table.ts";

/** As the provider counted. Null where that is not known. */
export const usage = {
  inputTokens: count().nullable().cached().hidden(),
  readTokens: count().nullable().cached().hidden(),
  writtenTokens: count().nullable().cached().hidden(),
  outputTokens: count().nullable().cached().hidden(),
};

/** A step keeps its receipt: a hash chain of its own for each agent. */
export const steps = table(
  "steps",
  {
    of: "user",
    key: ["agent", "number"],
    // The steps of a turn.
    indexes: { steps_turn: "(turn, step)" },
    proof: "hashChain",
    erase: {
      blank: { set: { erased_at: "{at}", result_digest: "{at}" }, unless: "erased_at is not null" },
      through: "turn",
    },
    exported: false,
  },
  {
    number: count(),
    turn: id().refers("turns", "steps were taken in it"),
    /** It counts within the turn, `number` within the agent's hash chain. */
    step: count(),
    at: time(),
    receipt: digest(),
    previous: digest(),
    digest: digest(),
    erasedAt: time().nullable(),
    result: json<StepResult>().nullable(),
    resultDigest: digest().nullable().hidden(),
    ...usage,
    missed: truth().usual(0).cached().hidden(),
    /** So many thousandths of a request a provider keeps in its cache that does not count what it writes. */
    stable: count().nullable().cached().hidden(),
  },
);

/** Where the hash chain of each agent's steps ends. A user's step moves it, and takes it away never. */
export const hashChains = table(
  "hash_chains",
  {
    of: "agent",
    key: ["agent"],
    isByKey: true,
    fence: { add: "agent = {agent}", change: "agent = {agent}" },
    proof: "hashChain",
    erase: { blank: "keep" },
  },
  { number: count(), digest: digest() },
);

/** In millionths of a dollar and in tokens. A day's rows of an agent lie together: they are added up before each step. */
export const spending = table(
  "spending",
  { of: "user", key: ["agent", "day", "user_id", "receiver"], isByKey: true },
  {
    day: time(),
    receiver: name(),
    micros: count(),
    input: count(),
    read: count(),
    written: count(),
    output: count(),
  },
);

export const heldCalls = table(
  "held_calls",
  {
    of: "user",
    key: ["id"],
    unique: { held_calls_call: "(agent, user_id, turn, call_digest)" },
    indexes: { held_calls_scope: "(agent, user_id, status)", held_calls_waiting: "(agent) where status = 'waiting'" },
    isMarked: true,
    erase: { through: "turn" },
    exported: "calls",
  },
  {
    id: id(),
    /** The turn that asked for it, and which of its steps. */
    turn: id().refers("turns", "a call was held in it"),
    step: count(),
    /** The call's id, as the model gave it. */
    call: id(),
    /** Some models count their calls anew in every step: an id alone does not name one. */
    callDigest: digest().inner().hidden(),
    tool: name(),
    /** What the tool is to be given: any JSON. */
    input: json(),
    /** Why it was held. */
    reason: text(),
    at: time(),
    /** `running` until its result is recorded, even if its process died. It is never run again. */
    status: oneOf("waiting", "approved", "rejected", "running", "done", "failed"),
    decidedAt: time().nullable(),
    decidedBy: name().nullable(),
    decisionReason: text().nullable(),
    takenAt: time().nullable(),
    endedAt: time().nullable(),
    result: json().nullable(),
    /** Where it is to be made, if the tool acts in a place: a directory. */
    place: text().nullable(),
  },
);

/** The bytes of what came with turns, once for each scope; of those that were let go only that they were there. */
export const attachments = table(
  "attachments",
  { of: "user", key: ["agent", "user_id", "digest"] },
  {
    digest: digest(),
    /** As whoever gave it says: of texts anything. */
    mediaType: text(),
    size: count(),
    /** Its digest proves it. */
    body: bytes().unsealed(),
    at: time(),
    erasedAt: time().nullable(),
  },
);
