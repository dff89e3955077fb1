import type { AgentListAnswer, HomeAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { withQuery } from "../../api/request.ts";
import { Empty, Loading, Page, Pager, Trouble, useStretch } from "../../app/page.tsx";
import { housePlaceOf, useAsked } from "../../app/place.ts";
import { Button, Field, Input, useTyped } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { dayText, dollars, plural } from "../../kit/words.ts";
import { type AgentAct, AgentRow } from "../agents/agent-row.tsx";
import { Brake } from "../agents/brake.tsx";
import { Duplicate } from "../agents/duplicate.tsx";
import { useModels } from "../agents/models/use-models.ts";
import { NewAgent } from "../agents/new-agent.tsx";
import { RemoveAgent } from "../agents/remove-agent.tsx";
import { Needs } from "./needs.tsx";

const size = 50;
const heads = ["Turns", "Users", "Cost", "Errors"];

/** What needs a person, what was spent this month, and every agent in a row. `?new=`, `?freeze=ada`, `?duplicate=ada` and `?remove=ada` open a dialog. */
export default function HomePage() {
  const [asked, setAsked] = useAsked();
  const { from, ...stretch } = useStretch(size);
  const query = asked("query") ?? "";
  const removed = asked("removed") === "true";
  const list = { ...stretch, query, ...(removed ? { removed: "true" } : {}) };
  const { data, error, refetch, isPlaceholderData } = useApi<AgentListAnswer>(withQuery("/agents", list));
  const { byName, usual } = useModels();
  const home = useApi<HomeAnswer>("/home").data;
  const [typed, type] = useTyped(query, (words) => setAsked({ query: words, from: undefined }));
  const named = (act: AgentAct) => data?.agents.find(({ name }) => name === asked(act));
  const close = () => setAsked({ new: undefined, freeze: undefined, duplicate: undefined, remove: undefined });
  const [freezing, duplicating, removing] = [named("freeze"), named("duplicate"), named("remove")];
  return (
    <Page
      title="Home"
      about={home && <Month month={home.month} />}
      actions={
        <Button kind="primary" onClick={() => setAsked({ new: "agent" }, { replace: false })}>
          Create agent
        </Button>
      }
    >
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        {home && <Needs home={home} />}
        <section aria-labelledby="agents" className={`min-w-0 ${home ? "" : "xl:col-span-2"}`}>
          <h2 id="agents" className="mb-2 font-medium">
            Agents{" "}
            {data && (
              <span className="font-normal text-soft text-sm">
                {plural(data.total, "agent")}. Figures are of the last 7 days.
              </span>
            )}
          </h2>
          <div className="mb-3 flex flex-wrap items-end gap-x-4 gap-y-2">
            <Field label="Search" className="flex-[0_1_20rem]">
              <Input
                type="search"
                dir="auto"
                placeholder="Name or label"
                value={typed}
                onChange={({ target }) => type(target.value)}
              />
            </Field>
            <label className="flex min-h-9 items-center gap-2 text-sm">
              <input
                type="checkbox"
                checked={removed}
                onChange={({ target }) => setAsked({ removed: target.checked ? "true" : undefined, from: undefined })}
                className="size-4 accent-accent"
              />
              Show removed agents
            </label>
          </div>
          {error && <Trouble problem={error} again={() => void refetch()} />}
          {!data && !error && <Loading />}
          {data?.agents.length === 0 && (
            <Empty
              title={
                query !== ""
                  ? "No agent has these letters in its name"
                  : from === 0
                    ? "No agents yet"
                    : "No more agents"
              }
            >
              {query === "" && "An agent is a charter, a model and its settings. “Create agent” makes one."}
            </Empty>
          )}
          {data && data.agents.length > 0 && (
            <table className="block w-full rounded-lg border border-line bg-card md:table">
              <caption className="sr-only">Agents</caption>
              <thead className="sr-only md:not-sr-only md:table-header-group">
                <tr className="text-soft text-xs">
                  <th scope="col" className="p-2 text-left font-normal">
                    Agent
                  </th>
                  <th scope="col" className="p-2 text-left font-normal">
                    Model
                  </th>
                  {heads.map((head) => (
                    <th key={head} scope="col" className="p-2 text-right font-normal">
                      {head}
                    </th>
                  ))}
                  <th scope="col" className="p-2 text-right font-normal">
                    Waiting
                  </th>
                  <th scope="col" className="p-2 text-right font-normal">
                    Actions
                  </th>
                </tr>
              </thead>
              <tbody className="block md:table-row-group">
                {data.agents.map((agent) => {
                  const model = agent.model ?? usual[0] ?? "server default";
                  return (
                    <AgentRow
                      key={agent.name}
                      agent={agent}
                      model={model}
                      known={byName.get(model)}
                      onAct={(act) => setAsked({ [act]: agent.name }, { replace: false })}
                    />
                  );
                })}
              </tbody>
            </table>
          )}
          {data && (
            <Pager
              from={from}
              isBefore={isPlaceholderData}
              shown={data.agents.length}
              size={size}
              more={data.more}
              words={["Before", "After"]}
            />
          )}
        </section>
      </div>
      <NewAgent open={asked("new") !== undefined} onClose={close} />
      {freezing && <Brake agent={freezing} onClose={close} />}
      {duplicating && <Duplicate agent={duplicating} onClose={close} />}
      {removing && <RemoveAgent agent={removing} onClose={close} />}
    </Page>
  );
}

/** What was spent this month, and what it would have been without the providers' caches. */
function Month({ month: { from, cost, saved } }: Pick<HomeAnswer, "month">) {
  return (
    <>
      Spent this month: <TextLink href={housePlaceOf("money", undefined, { days: "month" })}>{dollars(cost)}</TextLink>
      {saved !== null && saved !== 0 && (
        <>
          {" "}
          (since {dayText(from)}). Caching {saved > 0 ? "saved" : "cost"} {dollars(Math.abs(saved))}.
        </>
      )}
    </>
  );
}
