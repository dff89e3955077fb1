import type { AgentListAnswer, TurnListAnswer } from "charter/answers";
import { type ComponentType, Suspense, useEffect } from "react";
import { Redirect, Route, Router, Switch, useLocation } from "wouter";
import { followEventFeed } from "../api/event-feed.ts";
import { useApi } from "../api/query-client.ts";
import { encodeName, withQuery } from "../api/request.ts";
import { onDemand } from "../kit/on-demand.ts";
import { TextLink } from "../kit/text-link.tsx";
import { isFresh, useRemembered } from "../pages/start/first-steps.tsx";
import { carryDrawer } from "./drawer.tsx";
import { Boundary, Empty, Loading, Page, Trouble } from "./page.tsx";
import { type HousePageName, housePageNames, type PageName, pageNames, placeOf, usePlace } from "./place.ts";
import { Shell } from "./shell.tsx";

/** Each page comes when it is first looked at. */
const pages: Readonly<Record<PageName, ComponentType>> = {
  prompt: onDemand(() => import("../pages/prompt/page.tsx")),
  sections: onDemand(() => import("../pages/sections/page.tsx")),
  turns: onDemand(() => import("../pages/turns/page.tsx")),
  compare: onDemand(() => import("../pages/compare/page.tsx")),
  chat: onDemand(() => import("../pages/chat/page.tsx")),
  life: onDemand(() => import("../pages/life/page.tsx")),
  memory: onDemand(() => import("../pages/memory/page.tsx")),
  schedules: onDemand(() => import("../pages/schedules/page.tsx")),
  settings: onDemand(() => import("../pages/agents/page.tsx")),
};
const housePages: Readonly<Record<HousePageName, ComponentType>> = {
  home: onDemand(() => import("../pages/home/page.tsx")),
  approvals: onDemand(() => import("../pages/approvals/page.tsx")),
  money: onDemand(() => import("../pages/money/page.tsx")),
  people: onDemand(() => import("../pages/people/page.tsx")),
};
const Start = onDemand(() => import("../pages/start/page.tsx"));

export function App() {
  const [place] = useLocation();
  useEffect(() => {
    followEventFeed().catch(() => {});
  }, []);
  return (
    <Router aroundNav={carryDrawer}>
      <Shell>
        <Boundary place={place}>
          <Suspense fallback={<Loading />}>
            <Switch>
              <Route path="/start" component={Start} />
              {housePageNames.map((page) => (
                <Route key={page} path={`/${page}/:one?`} component={housePages[page]} />
              ))}
              {pageNames.map((page) => (
                <Route key={page} path={`/agents/:agent/${page}/:one?`} component={pages[page]} />
              ))}
              <Route path="/agents/:agent" component={ToPrompt} />
              <Route path="/" component={First} />
              <Route component={Unknown} />
            </Switch>
          </Suspense>
        </Boundary>
      </Shell>
    </Router>
  );
}

/** An address that names no page, as after a slip of the hand. */
function Unknown() {
  const [place] = useLocation();
  return (
    <Page title="Page not found">
      <Empty title={`There is no page at ${place}`}>
        Check the address, or go <TextLink href="/home">Home</TextLink>.
      </Empty>
    </Page>
  );
}

function ToPrompt() {
  return <Redirect to={placeOf(usePlace().agent, "prompt")} replace />;
}

/** Where one arrives: at the first steps in a house that is new, until they are done or skipped; else at the agents. */
function First() {
  const { ended } = useRemembered();
  const { data, error } = useApi<AgentListAnswer>(ended ? undefined : withQuery("/agents", { limit: 2 }));
  const only = data?.agents.length === 1 ? data.agents[0] : undefined;
  const turns = useApi<TurnListAnswer>(only && withQuery(`/agents/${encodeName(only.name)}/turns`, { limit: 6 }));
  const problem = error ?? turns.error;
  if (problem) return <Trouble problem={problem} />;
  if (!ended && (!data || (only && !turns.data))) return <Loading />;
  const fresh = !ended && isFresh(data?.agents ?? [], turns.data?.turns.length ?? 0);
  return <Redirect to={fresh ? "/start" : "/home"} replace />;
}
