import { kindOfAttachment } from "../../../delivery/attachment-line.ts";
import type { Fault, Message, Model } from "../../../delivery/model.ts";
import { attachmentsIn } from "../../../delivery/show-attachments.ts";
import type { AttachmentKind } from "../../../prompt/attachment.ts";
import type { AgentDeps } from "../turn-state.ts";

/** Without the kinds of attachments that its model was found not to take where it is served. */
export async function withLearnedKinds(deps: AgentDeps): Promise<AgentDeps> {
  const { model, store } = deps;
  if (model.address === undefined || !model.receiver.attachments?.length) return deps;
  const refused = await store.refusedKinds.of({ model: model.receiver.name, address: model.address });
  return refused.length === 0 ? deps : { ...deps, model: withoutKinds(model, refused) };
}

/** The model took none of a kind that was sent to it: from now on it is told in words. `undefined`: it is no such fault. */
export async function learnRefusedKind(
  deps: AgentDeps,
  fault: Fault | undefined,
  messages: readonly Message[],
): Promise<AgentDeps | undefined> {
  const { model, store } = deps;
  const kind = fault?.refusedKind;
  const isSent = attachmentsIn(messages).some((one) => kindOfAttachment(one) === kind);
  if (kind === undefined || !isSent || !model.receiver.attachments?.includes(kind)) return undefined;
  if (model.address !== undefined)
    await store.refusedKinds.learn({ model: model.receiver.name, address: model.address }, kind);
  return { ...deps, model: withoutKinds(model, [kind]) };
}

/** One that asks it: a model may be an object of a class. */
function withoutKinds(model: Model, kinds: readonly AttachmentKind[]): Model {
  const { receiver, address, takesOutput, takesToolChoice, askWindow, prepare } = model;
  return {
    receiver: { ...receiver, attachments: (receiver.attachments ?? []).filter((kind) => !kinds.includes(kind)) },
    ...(address === undefined ? {} : { address }),
    ...(takesOutput ? { takesOutput } : {}),
    ...(takesToolChoice ? { takesToolChoice } : {}),
    ...(askWindow ? { askWindow: (options) => askWindow.call(model, options) } : {}),
    ...(prepare ? { prepare: (session, options) => prepare.call(model, session, options) } : {}),
    ask: (request, asking) => model.ask(request, asking),
  };
}
