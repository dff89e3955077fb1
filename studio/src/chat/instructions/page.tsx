import type { SectionListAnswer } from "charter/answers";
import { useFacts } from "../api/page-facts.ts";
import { refresh, useRead } from "../api/read.ts";
import { agentPath } from "../api/request.ts";
import { Empty, Loading, Page } from "../kit/page.tsx";
import { Trouble } from "../kit/trouble.tsx";
import { SectionCard } from "./section-card.tsx";

/** The texts of the prompt that are this user's own. */
export function InstructionsPage() {
  const { agent } = useFacts();
  const { data, problem } = useRead<SectionListAnswer>(`${agentPath(agent.name, "sections")}?limit=1000`);
  const own = (data?.sections ?? []).filter(({ mutability }) => mutability === "amendable");
  return (
    <Page
      title="Instructions"
      about="What the assistant always keeps in mind when it talks with you. You and the assistant can change it. Every change is kept and can be undone."
    >
      {problem && <Trouble problem={problem} again={refresh} />}
      {!data && !problem && <Loading />}
      {data && own.length === 0 && <Empty title="This assistant has no instructions that you can change" />}
      <div className="space-y-8">
        {own.map((section) => (
          <SectionCard key={section.name} section={section} alone={own.length === 1} />
        ))}
      </div>
    </Page>
  );
}
