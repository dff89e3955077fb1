import type { SectionAnswer } from "charter/answers";
import { Link } from "wouter";
import { Card } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { count, plural } from "../../kit/words.ts";
import { bandOf } from "./section-row.tsx";

const kinds: readonly {
  readonly mutability: SectionAnswer["mutability"];
  readonly title: string;
  readonly says: string;
}[] = [
  {
    mutability: "fixed",
    title: "Fixed",
    says: "Part of the charter. Nobody can change this text while the agent runs, and it is never trimmed.",
  },
  {
    mutability: "amendable",
    title: "Amendable",
    says: "Editable by the people and agents it names. Every change is checked, kept in the history, and can be reverted.",
  },
  {
    mutability: "live",
    title: "Live",
    says: "Generated for each turn: the time, memories, messages.",
  },
];

const maxNamed = 12;

/** Before a section was chosen: the three kinds there are, and where words have been changed. */
export function Overview({
  agent,
  user,
  sections,
}: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly sections: readonly SectionAnswer[];
}) {
  const changed = sections
    .filter(({ revision }) => revision !== null && revision > 0)
    .sort((a, b) => (b.revision ?? 0) - (a.revision ?? 0));
  return (
    <div className="@container space-y-4">
      <div className="grid gap-3 @2xl:grid-cols-3">
        {kinds.map(({ mutability, title, says }) => (
          <Card key={mutability} className="relative overflow-hidden pl-5">
            <span aria-hidden="true" className={`absolute inset-y-0 left-0 w-1.5 ${bandOf[mutability]}`} />
            <p className="flex items-baseline justify-between gap-2 font-medium">
              {title}
              <span className="text-soft text-sm">
                {count(sections.filter((one) => one.mutability === mutability).length)}
              </span>
            </p>
            <p className="mt-1 text-sm text-soft">{says}</p>
          </Card>
        ))}
      </div>
      <Card>
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
    </div>
  );
}
