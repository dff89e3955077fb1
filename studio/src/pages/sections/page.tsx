import type { AgentAnswer, MeAnswer } from "charter/answers";
import { ArrowLeft } from "lucide-react";
import { Link } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName } from "../../api/request.ts";
import { Loading, Page, Trouble } from "../../app/page.tsx";
import { placeOf, useAsked, usePlace } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { Icon } from "../../kit/icon.tsx";
import { useCoreEvents } from "./core/use-core.ts";
import { Frozen } from "./frozen.tsx";
import { OneSection } from "./one-section.tsx";
import { Overview } from "./overview.tsx";
import { SectionList } from "./section-list.tsx";
import { useSections } from "./use-sections.ts";

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
                  className="mb-3 inline-block text-accent text-sm underline lg:hidden"
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
