import type { Model } from "../../model.ts";
import type { ProbeFinding } from "./probe-finding.ts";

/** Stripes, 64 pixels wide and high: some models take no smaller ones. */
const picture = {
  data: "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAEklEQVR42mPogAKGUcYog3QGABQuEBAy5LrwAAAAAElFTkSuQmCC",
  digest: "39efd9b3a5743743adfafa136f56d9d6251f63681eed136953c94c5057f3d058",
  mediaType: "image/png",
  bytes: 75,
  width: 64,
  height: 64,
};

/** Whether a model that may take pictures does. One that does not is told in words what was there, so it is no trouble. */
export async function probeAttachment(name: string, model: Model, signal: AbortSignal): Promise<ProbeFinding[]> {
  if (!model.receiver.attachments?.includes("image")) return [];
  const text = "Say OK.";
  const request = {
    tools: [],
    system: [{ text: "Answer with one word." }],
    messages: [{ role: "user" as const, text, attachments: [picture] }],
  };
  const { fault } = await model.ask(request, { signal });
  if (!fault) return [{ what: `“${name}” takes pictures.`, fine: true }];
  if (!fault.refusedKind) return [];
  return [
    {
      what: `“${name}” takes no pictures: it is told in words what was sent.`,
      fine: true,
      hint: "Set attachments: [] for it, and no picture is tried first.",
    },
  ];
}
