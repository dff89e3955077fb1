import type { Operation } from "../../../amend/operation.ts";
import type { Proposal } from "../../../amend/proposal.ts";
import { amendmentContextFor } from "../../../host/amendment-context.ts";
import { findSection } from "../../../prompt/charter.ts";
import { Problem } from "../../../prompt/problem.ts";
import { printVerdict } from "../../print/verdict.ts";
import { loadAgent } from "../../shared/load-agent.ts";
import { requiredOption, wholeNumber } from "../../shared/options.ts";
import { actorOf, type ProposeValues } from "../../shared/propose-options.ts";
import { roomOf } from "../../shared/room.ts";
import { withStore } from "../../shared/store.ts";

/** The one way a command changes words: the agent is loaded, the guards are asked, and the answer is told. */
export async function proposeFromOptions(
  command: string,
  values: ProposeValues,
  asked: string,
  operation: Operation,
): Promise<number> {
  const agent = requiredOption(command, "agent", values.agent);
  if (values.model !== undefined && !values.quote)
    throw new Problem("usage", "--model needs --quote.", "It says for which model the change is quoted.");
  const actor = actorOf(values.actor ?? "operator");
  const revision = wholeNumber("revision", values.revision);
  const seconds = wholeNumber("time-limit", values["time-limit"]);
  return withStore(values, async (store) => {
    const loaded = await loadAgent(store, { ...values, agent });
    const { charter } = loaded.declaredTurn;
    const { section } = findSection(charter, asked);
    const context = await amendmentContextFor(loaded, await roomOf(loaded.declaredTurn, values, false), seconds);
    const proposal: Proposal = {
      section: section.name,
      operation,
      actor,
      ...(values.reason === undefined ? {} : { reason: values.reason }),
      ...(revision === undefined ? {} : { revision }),
      ...(values.turn === undefined ? {} : { turn: values.turn }),
    };
    if (values.quote) {
      const verdict = await store.judge(context, proposal);
      const [{ quoteFor, receiverNamed }, { quoteLines }, { modelTable, usualModel }] = await Promise.all([
        import("../../../host/quote.ts"),
        import("../../print/quote.ts"),
        import("../../shared/models.ts"),
      ]);
      const { user, agent } = loaded.scope;
      const model = values.model ?? loaded.agent.model ?? (await usualModel());
      const about = {
        store,
        agent,
        user,
        receiver: receiverNamed(model, await modelTable()),
        proposal,
        now: new Date(),
      };
      const quote = await quoteFor(verdict, about);
      const told = quote && { facts: { quote }, lines: quoteLines(quote, user) };
      return printVerdict(verdict, section.name, values.json, told);
    }
    if (values["dry-run"]) return printVerdict(await store.judge(context, proposal), section.name, values.json);
    const keyed = values.key === undefined ? context : { ...context, idempotencyKey: values.key };
    const asking =
      actor === "operator" ? {} : { secondOpinion: (await import("../../shared/models.ts")).opinionIn(store) };
    const outcome = await store.propose({ ...keyed, ...asking }, proposal);
    return printVerdict(outcome, section.name, values.json);
  });
}
