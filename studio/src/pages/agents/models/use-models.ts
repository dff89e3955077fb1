import type { ModelListAnswer } from "charter/answers";
import { useApi } from "../../../api/query-client.ts";
import type { KnownModel } from "./model-state.ts";

/** The models there are, and what is known of each by its name. */
export function useModels() {
  const { data, error } = useApi<ModelListAnswer>("/models");
  const byName = new Map<string, KnownModel>(data?.models.map((model) => [model.name, model]));
  return { models: data?.models ?? [], usual: data?.usual ?? [], place: data?.place, error, byName };
}
