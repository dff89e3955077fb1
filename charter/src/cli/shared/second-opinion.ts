import { createSecondOpinion } from "../../agent/second-opinion.ts";
import { loadModel } from "../../delivery/models/provider.ts";
import type { SecondOpinion } from "../../store/amendments/adviser.ts";
import type { Store } from "../../store/store.ts";

/** The models a command can ask are those whose keys are in its environment. */
export function opinionIn(store: Store): SecondOpinion {
  return createSecondOpinion({ store, loadModel: (name) => loadModel(name, { env: process.env }) });
}
