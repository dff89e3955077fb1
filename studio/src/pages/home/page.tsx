import type { AgentListAnswer, HomeAnswer } from "charter/answers";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { withQuery } from "../../api/request.ts";
import { Empty, Loading, Page, Pager, Trouble, useStretch } from "../../app/page.tsx";
import { housePlaceOf, placeOf, useAsked } from "../../app/place.ts";
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

export type AgentAct = "freeze" | "duplicate" | "remove";

/** One agent in a line: what it is, whether its model works, its last seven days, and what waits. */
export function AgentRow({
  agent,
  model,
  known,
  onAct,
}: {
  readonly agent: Agent;
  /** The model it has, its own or the server's. */
  readonly model: string;
  readonly known: KnownModel | undefined;
  readonly onAct: (act: AgentAct) => void;
}) {
  const { name, label, charter, frozen, removedAt, served, week, waiting, fallbacks = [] } = agent;
  const { short, tone, says } = modelState(known);
  const gone = removedAt !== undefined;
  const [, go] = useLocation();
  return (
    <tr className="block border-line border-t py-2 md:table-row md:py-0">
      <th scope="row" className="block px-2 text-left font-normal md:table-cell md:py-2 md:align-top">
        <span className="font-medium [overflow-wrap:anywhere]" dir="auto">
          {gone ? (
            (label ?? name)
          ) : (
            <Link href={placeOf(name, "prompt")} className="text-accent underline">
              {label ?? name}
            </Link>
          )}
        </span>
        <span className="block text-soft text-xs [overflow-wrap:anywhere]">
          {label !== undefined && <>{name} · </>}
          {gone ? charter : <TextLink href={placeOf(name, "sections")}>{charter}</TextLink>}
          {served === false && " · runs at a terminal"}
        </span>
        <span className="flex flex-wrap gap-1">
          {frozen && <Badge tone="wait">{frozen === "agent" ? "frozen" : "texts frozen"}</Badge>}
          {gone && <Badge tone="bad">removed {dayText(removedAt)}</Badge>}
        </span>
      </th>
      <Cell title="Model">
        <span className="[overflow-wrap:anywhere]" dir="auto">
          {gone ? model : <TextLink href={placeOf(name, "settings")}>{model}</TextLink>}
        </span>{" "}
        <Badge tone={tone} title={says}>
          {short}
        </Badge>
        <span className="block text-soft text-xs">
          {agent.model === null && "server default"}
          {fallbacks.length > 0 && `then ${fallbacks.join(", ")}`}
        </span>
      </Cell>
      <Cell title="Turns" number>
        <Spark values={week.days} label="Turns a day" />{" "}
        {gone ? count(week.turns) : <TextLink href={placeOf(name, "turns")}>{count(week.turns)}</TextLink>}
      </Cell>
      <Cell title="Users" number>
        {count(week.users)}
      </Cell>
      <Cell title="Cost" number>
        {week.cost === null ? "–" : dollars(week.cost)}
      </Cell>
      <Cell title="Errors" number>
        {week.failed === 0 || gone ? (
          count(week.failed)
        ) : (
          <TextLink href={placeOf(name, "turns", undefined, { when: "week", event: "failed" })}>
            {count(week.failed)}
          </TextLink>
        )}
      </Cell>
      <Cell title="Waiting" number>
        {waiting === 0 || gone ? (
          count(waiting)
        ) : (
          <TextLink href={housePlaceOf("approvals", undefined, { agent: name })}>{count(waiting)}</TextLink>
        )}
      </Cell>
      <td className="block px-2 md:table-cell md:py-1 md:text-right md:align-top">
        {!gone && (
          <Menu label={`More about ${name}`}>
            <MenuItem onChoose={() => go(placeOf(name, "settings"))}>Settings</MenuItem>
            <MenuItem onChoose={() => onAct("duplicate")}>Duplicate</MenuItem>
            <MenuItem onChoose={() => onAct("freeze")}>{frozen ? "Unfreeze" : "Freeze"}</MenuItem>
            <MenuItem onChoose={() => onAct("remove")}>Remove</MenuItem>
          </Menu>
        )}
      </td>
    </tr>
  );
}

/** A value; on a narrow page, where there is no head above it, with its name. */
function Cell({
  title,
  number = false,
  children,
}: {
  readonly title: string;
  readonly number?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <td
      className={`px-2 text-sm md:table-cell md:py-2 md:align-top ${number ? "inline-block tabular-nums md:text-right" : "block"}`}
    >
      <span className="mr-1 text-soft text-xs md:hidden">{title}</span>
      {children}
    </td>
  );
}
