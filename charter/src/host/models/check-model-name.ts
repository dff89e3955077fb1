import { entryNamed, findModel, type ModelSources } from "../../delivery/models/find-model.ts";
import { loadsStandIn, unknownName } from "../../delivery/models/provider.ts";
import { splitModelName } from "../../delivery/receiver.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Notice } from "../../prompt/reading.ts";
import { isAcpName, unknownAgent } from "./acp.ts";

/** Where models are set, for whoever has named one that is not. */
export const modelPlace =
  "Set a provider's key in the environment or in .env; describe models of your own in models.json, or under “models” in charter.config.ts (docs/models.md). Then restart the server.";

/** Where names of models are looked for. */
export type ModelNameSources = ModelSources & {
  /** The models there are that are agents over ACP: `acp/<name>` each. */
  readonly acp: () => Promise<readonly string[]>;
  /** A program may load any name itself: what it has no table entry for, it alone knows. */
  readonly load?: (name: string) => Promise<unknown>;
};

/** Refuses a name that nothing here knows. A key that is missing is no reason: it may be set later. */
export async function checkModelName(name: string, { acp, load, ...sources }: ModelNameSources): Promise<void> {
  try {
    if (isAcpName(name)) {
      const names = await acp();
      if (!names.includes(name))
        throw unknownAgent(
          name,
          names.map((one) => splitModelName(one).model),
        );
    } else if (entryNamed(name, sources.models) !== undefined) return;
    else if (load) await load(name);
    else if (!loadsStandIn(name) && !findModel(name, sources)) throw unknownName(name, sources);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "unknown-model") return;
    throw new Problem(error.code, error.message, `${error.hint} ${modelPlace}`);
  }
}

/** Told with the prompt of an agent whose model cannot be asked: that stops its turns, not the sight of the prompt. */
export function modelNotice({ code, message, hint }: Pick<Problem, "code" | "message" | "hint">): Notice {
  const why = code === "unknown-model" ? "while its model cannot be found" : "while its model cannot be asked";
  return { code, message: `It takes no turns ${why}. ${message} ${hint}` };
}
