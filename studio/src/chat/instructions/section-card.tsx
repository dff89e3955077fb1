import type { SectionListAnswer } from "charter/answers";
import { useState } from "react";
import { Button } from "../../kit/field.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { Card } from "../kit/page.tsx";
import { SectionEditor } from "./section-editor.tsx";
import { SectionHistory } from "./section-history.tsx";

export type Section = SectionListAnswer["sections"][number];

/** “## User Instructions” as people read it. */
const titleOf = ({ heading, name }: Section): string => heading?.replace(/^#+\s*/, "") || name;

/** One text: as it is, to be changed, and how it came to be. */
export function SectionCard({ section, alone }: { readonly section: Section; readonly alone: boolean }) {
  const [editing, setEditing] = useState(false);
  const [told, setTold] = useState("");
  const can = section.amendableBy.includes("user");
  const text = section.text ?? "";
  return (
    <div className="space-y-6">
      <Card label={titleOf(section)}>
        {!alone && <h2 className="mb-2 font-semibold">{titleOf(section)}</h2>}
        {editing ? (
          <SectionEditor
            section={section}
            onDone={(words) => {
              setEditing(false);
              setTold(words);
            }}
          />
        ) : (
          <>
            {text.trim() === "" ? (
              <p className="text-soft">Nothing yet. For example: “Answer briefly. Call me Bo.”</p>
            ) : (
              <LongText text={text} max={4000} />
            )}
            {can && (
              <div className="mt-4 flex flex-wrap items-center gap-3">
                <Button
                  onClick={() => {
                    setTold("");
                    setEditing(true);
                  }}
                >
                  {text.trim() === "" ? "Write instructions" : "Edit"}
                </Button>
                <p role="status" className="text-good text-sm">
                  {told}
                </p>
              </div>
            )}
            {!can && <p className="mt-3 text-sm text-soft">Only the assistant and whoever runs it can change this.</p>}
          </>
        )}
      </Card>
      <SectionHistory section={section} onTold={setTold} />
    </div>
  );
}
