import { LongText } from "../../kit/text/long-text.tsx";
import { plainJson, visible } from "../../kit/text/plain-json.ts";

/** What a tool would be given: name by name. Nothing in it hides: characters nobody sees are written out. */
export function CallInput({ of }: { readonly of: unknown }) {
  const entries = typeof of === "object" && of !== null && !Array.isArray(of) ? Object.entries(of) : undefined;
  if (!entries || entries.length === 0) return <Value of={of} />;
  return (
    <dl className="space-y-2 rounded-lg bg-raised px-3 py-2">
      {entries.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-soft text-xs [overflow-wrap:anywhere]">{visible(name).replace(/_+/g, " ")}</dt>
          <dd>
            <Value of={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ of }: { readonly of: unknown }) {
  return <LongText text={typeof of === "string" ? visible(of) : plainJson(of)} max={600} />;
}
