import type { ModelRequest, SentBody } from "../../delivery/model.ts";
import type { Environment } from "../../delivery/models/provider.ts";
import type { ReplayedBody } from "../../delivery/models/replay-body.ts";
import type { ModelTable } from "../../delivery/models/table/model-entry.ts";
import type { StepResult } from "../turn/turn-state.ts";
import { type ReplayedRequest, replayRequestBody } from "./replay-request.ts";

/** A whole request of a past step as JSON, with its body as text and as a command. */
type RequestFacts = {
  readonly turn: string;
  readonly step: number;
  readonly number: number;
  readonly at: string;
  readonly digest: string;
  readonly proved: true;
  readonly receiver: string | null;
  readonly request: ModelRequest;
  /** Null: no provider's package made one. `says`: whether it is the body that was sent, in one sentence. */
  readonly body: BodyFacts | null;
  /** How second opinions were asked for while its tools ran: each whole, since nothing else would have it. */
  readonly opinions: readonly { readonly model: string; readonly request: ModelRequest }[];
};

type BodyFacts = Omit<ReplayedBody, "sent"> & {
  readonly sent: Omit<SentBody, "cache" | "escaped"> | null;
  readonly says: string;
  readonly curl: string;
};

export async function requestFacts(
  replayed: ReplayedRequest,
  env: Environment = {},
  models: ModelTable = {},
): Promise<RequestFacts> {
  const { turn, step, number, at, digest, receipt } = replayed.step;
  const made = await replayRequestBody(replayed, env, models);
  const about = { turn, step, number, at, digest, proved: true as const, receiver: receipt.receiver };
  const { opinions = [] } = (replayed.step.result ?? {}) as StepResult;
  const asked = opinions.flatMap(({ model, request }) => (request ? [{ model, request }] : []));
  return { ...about, request: replayed.request, body: made && (await withWords(made)), opinions: asked };
}

async function withWords({ sent: was, ...made }: ReplayedBody): Promise<BodyFacts> {
  const [{ bodyText }, { curlOf }] = await Promise.all([
    import("../../delivery/models/replay-body.ts"),
    import("../../delivery/models/curl.ts"),
  ]);
  const sent = was && { digest: was.digest, address: was.address, package: was.package, version: was.version };
  return { ...made, sent, says: bodyText({ ...made, sent }), curl: curlOf(made) };
}
