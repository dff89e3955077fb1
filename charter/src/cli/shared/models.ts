import { defaultModelName } from "../../delivery/models/provider.ts";
import type { ModelTable } from "../../delivery/models/table/model-entry.ts";
import { modelNames } from "../../host/models/model-list.ts";
import type { Here } from "./trust/here.ts";

/** The model of agents that name none: as it is set, else the first of the settings' models, else by the keys there are. */
export async function usualModel(here: Here): Promise<string> {
  const { model, models } = await here.trustedSettings();
  const env = await here.environment();
  return modelNames(env.CHARTER_MODEL?.trim() || model)[0] ?? defaultModelName(env, models);
}

export async function modelTable(here: Here): Promise<ModelTable> {
  return (await here.trustedSettings()).models ?? {};
}
