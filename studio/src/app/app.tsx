import type { AgentListAnswer, MeAnswer } from "charter/answers";
import { type ComponentType, Suspense, useEffect } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { followEventFeed } from "../api/event-feed.ts";
import { useApi } from "../api/query-client.ts";
import { withQuery } from "../api/request.ts";
import { onDemand } from "../kit/on-demand.ts";
import { Boundary } from "./boundary.tsx";
import { Loading, Trouble } from "./page.tsx";
import { lastAgent, type PageName, pageNames, placeOf, usePlace } from "./place.ts";
import { Shell } from "./shell.tsx";

/** Each page comes when it is first looked at. */
const pages: Readonly<Record<PageName, ComponentType>> = {
  prompt: onDemand(() => import("../pages/prompt/page.tsx")),
  sections: onDemand(() => import("../pages/sections/page.tsx")),
  turns: onDemand(() => import("../pages/turns/page.tsx")),
  compare: onDemand(() => import("../pages/compare/page.tsx")),
  cost: onDemand(() => import("../pages/cost/page.tsx")),
  chat: onDemand(() => import("../pages/chat/page.tsx")),
  conversations: onDemand(() => import("../pages/conversations/page.tsx")),
  life: onDemand(() => import("../pages/life/page.tsx")),
  memory: onDemand(() => import("../pages/memory/page.tsx")),
  approvals: onDemand(() => import("../pages/held/page.tsx")),
  schedules: onDemand(() => import("../pages/schedules/page.tsx")),
  settings: onDemand(() => import("../pages/agents/settings/page.tsx")),
};
const Agents = onDemand(() => import("../pages/agents/page.tsx"));

export function App() {
  const [place] = useLocation();
  useEffect(() => {
    followEventFeed().catch(() => {});
  }, []);
  return (
    <Shell>
      <Boundary place={place}>
        <Suspense fallback={<Loading />}>
          <Switch>
            <Route path="/agents" component={Agents} />
            {pageNames.map((page) => (
              <Route key={page} path={`/agents/:agent/${page}/:one?`} component={pages[page]} />
            ))}
            <Route path="/agents/:agent" component={ToPrompt} />
            <Route>
              <First />
            </Route>
          </Switch>
        </Suspense>
      </Boundary>
    </Shell>
  );
}

function ToPrompt() {
  return <Redirect to={placeOf(usePlace().agent, "prompt")} replace />;
}

/** Where one arrives: at the agent one looked at last, else the first; where there is none, at how to make one. */
function First() {
  const { data, error } = useApi<AgentListAnswer>(withQuery("/agents", { limit: 1000 }));
  const me = useApi<MeAnswer>("/me");
  if (error) return <Trouble problem={error} />;
  if (!data || !me.data) return <Loading />;
  const last = localStorage.getItem(lastAgent);
  const agent = data.agents.find(({ name }) => name === last) ?? data.agents[0];
  return (
    <Redirect
      to={agent ? placeOf(agent.name, "prompt", undefined, { user: me.data.user ?? undefined }) : "/agents"}
      replace
    />
  );
}
