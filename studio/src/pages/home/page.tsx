import type { AgentListAnswer, HomeAnswer } from "charter/answers";
import { useLocation } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { withQuery } from "../../api/request.ts";
import { Answered, Empty, Page, Pager, useStretch } from "../../app/page.tsx";
import { housePlaceOf, placeOf, useAsked } from "../../app/place.ts";
import { type Column, figures, SortedTable } from "../../app/sorted-table.tsx";
import { Button, Field, Input, useTyped } from "../../kit/field.tsx";
import { Badge, Spark } from "../../kit/icon.tsx";
import { Menu, MenuItem } from "../../kit/menu.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, dayText, dollars, plural } from "../../kit/words.ts";
import { type Agent, Brake, Duplicate, RemoveAgent } from "../agents/acts.tsx";
import { type KnownModel, modelState, useModels } from "../agents/models.tsx";
import { NewAgent } from "../agents/new-agent.tsx";
import { Needs } from "./needs.tsx";

const size = 50;

/** What needs a person, what was spent this month, and every agent in a row. `?new=`, `?freeze=ada`, `?duplicate=ada` and `?remove=ada` open a dialog. */
export default function HomePage() {
  const [asked, setAsked] = useAsked();
  const { from, ...stretch } = useStretch(size);
  const query = asked("query") ?? "";
  const removed = asked("removed") === "true";
  const list = { ...stretch, query, ...(removed ? { removed: "true" } : {}) };
  const answer = useApi<AgentListAnswer>(withQuery("/agents", list));
  const { data } = answer;
  const [, go] = useLocation();
  const onAct = (act: AgentAct, agent: string) => setAsked({ [act]: agent }, { replace: false });
  const all = columnsOf({ models: useModels(), go, onAct });
  // Only what is all here can be sorted here.
  const columns = data?.more || from > 0 ? all.map(({ by: _, ...column }) => column) : all;
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
      <div className="@container">
        <div className="grid grid-cols-1 items-start gap-6 @min-[60rem]:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
          {home && <Needs home={home} />}
          <section aria-labelledby="agents" className={`min-w-0 ${home ? "" : "@min-[60rem]:col-span-2"}`}>
            <h2 id="agents" className="mb-2 font-medium">
              Agents{" "}
              {data && (
                <span className="font-normal text-soft text-sm">{plural(data.total, "agent")}, last 7 days</span>
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
            <Answered of={answer}>
              {({ agents, more }) => (
                <>
                  {agents.length > 0 ? (
                    <SortedTable caption="Agents" columns={columns} rows={agents} keyOf={({ name }) => name} />
                  ) : (
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
                  <Pager
                    {...{ from, size, more }}
                    isBefore={answer.isPlaceholderData}
                    shown={agents.length}
                    words={["Before", "After"]}
                  />
                </>
              )}
            </Answered>
          </section>
        </div>
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

type AgentAct = "freeze" | "duplicate" | "remove";

type ColumnsAbout = {
  readonly models: ReturnType<typeof useModels>;
  readonly go: (href: string) => void;
  readonly onAct: (act: AgentAct, agent: string) => void;
};

/** One agent in a line: what it is, whether its model works, its last seven days, and what waits. Of one that is gone nothing leads on. */
function columnsOf({ models: { byName, usual }, go, onAct }: ColumnsAbout): readonly Column<Agent>[] {
  const modelOf = ({ model }: Agent) => model ?? usual[0] ?? "server default";
  const turns = (agent: Agent, query: Readonly<Record<string, string>> = {}) =>
    agent.removedAt === undefined ? placeOf(agent.name, "turns", undefined, { when: "week", ...query }) : undefined;
  return [
    { name: "Agent", by: ({ label, name }) => label ?? name, show: (agent) => <Name agent={agent} /> },
    {
      name: "Model",
      by: modelOf,
      show: (agent) => <ModelName agent={agent} model={modelOf(agent)} known={byName.get(modelOf(agent))} />,
    },
    {
      ...figures<Agent>("Turns", ({ week }) => week.turns, count, turns),
      show: (agent) => {
        const href = turns(agent);
        const words = count(agent.week.turns);
        return (
          <>
            <Spark values={agent.week.days} label="Turns a day" />{" "}
            {href === undefined ? words : <TextLink href={href}>{words}</TextLink>}
          </>
        );
      },
    },
    figures(
      "Users",
      ({ week }) => week.users,
      count,
      (agent) => turns(agent, { by: "person" }),
    ),
    figures(
      "Cost",
      ({ week }) => week.cost,
      dollars,
      ({ name }) => housePlaceOf("money", undefined, { agent: name, days: "7", by: "day" }),
    ),
    figures(
      "Errors",
      ({ week }) => week.failed,
      count,
      (agent) => turns(agent, { event: "failed" }),
    ),
    figures(
      "Waiting",
      ({ waiting }) => waiting,
      count,
      ({ name, removedAt }) =>
        removedAt === undefined ? housePlaceOf("approvals", undefined, { agent: name }) : undefined,
    ),
    {
      name: "Actions",
      figures: true,
      show: ({ name, removedAt, frozen }) =>
        removedAt === undefined && (
          <Menu label={`More about ${name}`}>
            <MenuItem onChoose={() => go(placeOf(name, "settings"))}>Settings</MenuItem>
            <MenuItem onChoose={() => onAct("duplicate", name)}>Duplicate</MenuItem>
            <MenuItem onChoose={() => onAct("freeze", name)}>{frozen ? "Unfreeze" : "Freeze"}</MenuItem>
            <MenuItem onChoose={() => onAct("remove", name)}>Remove</MenuItem>
          </Menu>
        ),
    },
  ];
}

function Name({ agent: { name, label, charter, frozen, removedAt, served } }: { readonly agent: Agent }) {
  const gone = removedAt !== undefined;
  return (
    <>
      <span className="font-medium" dir="auto">
        {gone ? (label ?? name) : <TextLink href={placeOf(name, "prompt")}>{label ?? name}</TextLink>}
      </span>
      <span className="block text-soft text-xs">
        {label !== undefined && <>{name} · </>}
        {gone ? charter : <TextLink href={placeOf(name, "sections")}>{charter}</TextLink>}
        {served === false && " · runs at a terminal"}
      </span>
      <span className="flex flex-wrap gap-1">
        {frozen && <Badge tone="wait">{frozen === "agent" ? "frozen" : "texts frozen"}</Badge>}
        {gone && <Badge tone="bad">removed {dayText(removedAt)}</Badge>}
      </span>
    </>
  );
}

type ModelNameProps = { readonly agent: Agent; readonly model: string; readonly known: KnownModel | undefined };

function ModelName({ agent, model, known }: ModelNameProps) {
  const { short, tone, says } = modelState(known);
  const { name, removedAt, fallbacks = [] } = agent;
  return (
    <>
      <span className="[overflow-wrap:anywhere]" dir="auto">
        {removedAt === undefined ? <TextLink href={placeOf(name, "settings")}>{model}</TextLink> : model}
      </span>{" "}
      <Badge tone={tone} title={says}>
        {short}
      </Badge>
      <span className="block text-soft text-xs">
        {agent.model === null && "server default"}
        {fallbacks.length > 0 && `then ${fallbacks.join(", ")}`}
      </span>
    </>
  );
}
