import { useQuery } from "@tanstack/react-query";
import type { AgentAnswer, MeAnswer, SectionAnswer, SectionListAnswer } from "charter/answers";
import { ArrowLeft } from "lucide-react";
import { Link } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { type ApiProblem, encodeName, getJson, type Whose, withQuery } from "../../api/request.ts";
import { Card, Loading, Page, Trouble } from "../../app/page.tsx";
import { placeOf, useAsked, usePlace } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { Hint } from "../../kit/hint.tsx";
import { Icon, Mutability } from "../../kit/icon.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, plural } from "../../kit/words.ts";
import { useCoreEvents } from "./core-panel.tsx";
import { OneSection } from "./one-section.tsx";
import { SectionList } from "./section-list.tsx";

/** What a prompt is made of: on the left every section, on the right the one that was chosen. */
export default function SectionsPage() {
  const { agent, one } = usePlace();
  const [asked, setAsked] = useAsked();
  const me = useApi<MeAnswer>("/me");
  const { data: facts } = useApi<AgentAnswer>(`/agents/${encodeName(agent)}`);
  const user = asked("user") ?? me.data?.user ?? undefined;
  // Whose copy is meant has to be known before anything is read.
  const known = asked("user") !== undefined || me.data !== undefined || me.error !== null;
  const { data: sections, error, refetch } = useSections(agent, user, known);
  useCoreEvents(agent);
  const frozen = facts?.name === agent ? facts.frozen : null;
  return (
    <Page
      title="Sections"
      hint="The parts of the prompt, in order: their text, who can change it, who did, and what a change costs."
      actions={
        <UserChoice
          agent={agent}
          user={user}
          onUser={(chosen) => setAsked({ user: chosen, revision: undefined, left: undefined, right: undefined })}
          label="User"
          nobody="No specific user"
          also={me.data?.user ? [me.data.user] : []}
          needed={Boolean(me.data?.user)}
          className="w-52"
        />
      }
    >
      {frozen && <Frozen agent={agent} what={frozen} />}
      {known ? (
        <div className="grid gap-6 lg:grid-cols-[19rem_minmax(0,1fr)] 2xl:grid-cols-[21rem_minmax(0,1fr)]">
          <div
            className={`${one === undefined ? "flex" : "hidden lg:flex"} max-h-[calc(100dvh-13rem)] min-h-80 flex-col self-start lg:sticky lg:top-5 lg:max-h-[calc(100dvh-8rem)] [&>*]:min-h-0 [&>*]:flex-1`}
          >
            {sections && <SectionList agent={agent} user={user} sections={sections} chosen={one} />}
            {!sections && (error ? <Trouble problem={error} again={refetch} /> : <Loading />)}
          </div>
          <div className={`${one === undefined ? "hidden lg:block" : ""} min-w-0`}>
            {one !== undefined && (
              <>
                <Link
                  href={placeOf(agent, "sections", undefined, { user: asked("user"), find: asked("find") })}
                  className="mb-3 inline-flex items-center gap-1 text-accent text-sm underline lg:hidden"
                >
                  <Icon of={ArrowLeft} /> All sections
                </Link>
                <OneSection key={one} agent={agent} user={user} section={one} />
              </>
            )}
            {one === undefined && sections && <Overview agent={agent} user={user} sections={sections} />}
          </div>
        </div>
      ) : (
        <Loading />
      )}
    </Page>
  );
}

/** The operator's brake is on: what that means for whoever wants to change words. */
export function Frozen({ agent, what }: { readonly agent: string; readonly what: "amendments" | "agent" }) {
  return (
    <div role="status" className="mb-4 rounded-lg border border-wait/50 bg-card p-3 text-sm">
      <p>
        <strong className="text-wait">{what === "agent" ? "Frozen." : "Amendments are frozen."}</strong>{" "}
        {what === "agent"
          ? `“${agent}” takes no turns, and nobody can change its text, operators included.`
          : `“${agent}” still takes turns, but nobody can change its text, operators included.`}{" "}
        What you type is kept in this browser. To unfreeze: <code>charter thaw {agent}</code>, or{" "}
        <TextLink href="/home">Home</TextLink>.
      </p>
    </div>
  );
}

const kinds = [
  ["fixed", "Part of the charter: nobody can change it while the agent runs, and it is never trimmed."],
  ["amendable", "Editable by those it names. Every change is checked, kept in the history, and can be reverted."],
  ["live", "Generated for each turn: the time, memories, messages."],
] as const;

const maxNamed = 12;

/** Before a section was chosen: how many there are of each kind, and where words have been changed. */
export function Overview({ agent, user, sections }: Whose & { readonly sections: readonly SectionAnswer[] }) {
  const changed = sections
    .filter(({ revision }) => revision !== null && revision > 0)
    .sort((a, b) => (b.revision ?? 0) - (a.revision ?? 0));
  return (
    <Card>
      <ul className="mb-3 flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {kinds.map(([kind, says]) => (
          <li key={kind} className="flex items-center gap-1">
            <TextLink href={placeOf(agent, "sections", undefined, { user, find: kind })}>
              {count(sections.filter(({ mutability }) => mutability === kind).length)} <Mutability of={kind} />
            </TextLink>
            <Hint about={kind}>{says}</Hint>
          </li>
        ))}
      </ul>
      <h2 className="font-medium text-sm">Edited sections</h2>
      {changed.length === 0 ? (
        <p className="mt-1 text-sm text-soft">
          {sections.some(({ mutability }) => mutability === "amendable")
            ? "None yet. Choose an amendable section to edit it."
            : "None: this charter has no editable sections."}
        </p>
      ) : (
        <ul className="mt-1.5 flex flex-wrap gap-2">
          {changed.slice(0, maxNamed).map((one) => (
            <li key={one.name}>
              <Link
                href={placeOf(agent, "sections", one.name, { user })}
                className="inline-flex max-w-full items-baseline gap-1.5 rounded-md border border-line px-2 py-1 text-sm hover:bg-raised"
              >
                <bdi className="truncate">{one.name}</bdi>
                <span className="text-soft text-xs">{plural(one.revision ?? 0, "revision")}</span>
              </Link>
            </li>
          ))}
          {changed.length > maxNamed && (
            <li className="py-1 text-sm text-soft">and {count(changed.length - maxNamed)} more</li>
          )}
        </ul>
      )}
    </Card>
  );
}

const max = 1000;

/** All sections of an agent, in the order of its charter, however many pages they are. */
export function useSections(agent: string, user: string | undefined, asked: boolean) {
  return useQuery<readonly SectionAnswer[], ApiProblem>({
    queryKey: ["api", "sections", agent, user],
    queryFn: async ({ signal }) => {
      const all: SectionAnswer[] = [];
      for (let more = true; more; ) {
        const path = withQuery(`/agents/${encodeName(agent)}/sections`, { user, limit: max, offset: all.length });
        const page = await getJson<SectionListAnswer>(path, signal);
        all.push(...page.sections);
        more = page.more && page.sections.length > 0;
      }
      return all;
    },
    enabled: asked,
  });
}
