import type { SectionAnswer, SectionListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Answered } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { Icon, mutabilityIcons } from "../../kit/icon.tsx";
import { LongList } from "../../kit/list.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, plural } from "../../kit/words.ts";

const most = 1000;
const mostOfLayer = 40;

/** A charter layer by layer, in its own order, which is not that of a request: its sections, and who may change them. */
export function CharterLayers({ agent }: { readonly agent: string }) {
  const path = withQuery(`/agents/${encodeName(agent)}/sections`, { limit: most });
  return (
    <Answered of={useApi<SectionListAnswer>(path)}>
      {({ sections, more }) => (
        <>
          <LongList
            label={`The charter of ${agent}, layer by layer`}
            items={[...Map.groupBy(sections, ({ layer }) => layer)]}
            keyOf={([layer]) => layer}
            draw={([layer, own]) => <Layer agent={agent} layer={layer} sections={own} />}
          />
          <p className="mt-2 text-soft text-xs">
            <TextLink href={placeOf(agent, "sections")}>
              {more ? `More than ${count(sections.length)} sections` : plural(sections.length, "section")}
            </TextLink>
          </p>
        </>
      )}
    </Answered>
  );
}

type LayerProps = {
  readonly agent: string;
  readonly layer: string;
  readonly sections: SectionListAnswer["sections"];
};

function Layer({ agent, layer, sections }: LayerProps) {
  return (
    <div className="border-line border-t py-1.5">
      <p className="flex flex-wrap justify-between gap-x-3 text-xs">
        <bdi className="font-medium [overflow-wrap:anywhere]">{layer}</bdi>
        <span className="text-soft">{[...new Set(sections.map(mayChange))].join(" · ")}</span>
      </p>
      <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-sm">
        {sections.slice(0, mostOfLayer).map(({ name, mutability, revision, scope }) => (
          <span key={name} className="inline-flex min-w-0 items-center gap-1">
            <Icon of={mutabilityIcons[mutability]} className="size-3 text-soft" />
            <TextLink href={placeOf(agent, "sections", name)} dir="auto">
              {name}
            </TextLink>
            {scope === "user" && <span className="text-soft text-xs">each user’s own</span>}
            {(revision ?? 0) > 0 && <span className="text-soft text-xs">edited</span>}
          </span>
        ))}
        {sections.length > mostOfLayer && (
          <TextLink href={placeOf(agent, "sections")}>and {count(sections.length - mostOfLayer)} more</TextLink>
        )}
      </p>
    </div>
  );
}

/** Who may change a section's words. */
export function mayChange({ mutability, amendableBy }: Pick<SectionAnswer, "mutability" | "amendableBy">): string {
  if (mutability === "fixed") return "read-only";
  if (mutability === "live") return "generated per turn";
  if (amendableBy.length === 0) return "editable by nobody";
  const last = amendableBy.at(-1);
  return `editable by ${amendableBy.length === 1 ? last : `${amendableBy.slice(0, -1).join(", ")} and ${last}`}`;
}
