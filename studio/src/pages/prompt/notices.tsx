import type { Notice } from "charter";
import { Link } from "wouter";
import { placeOf } from "../../app/place.ts";
import type { Wanted } from "../../assembly/assembled.ts";
import { LongList } from "../../kit/list.tsx";

/** What the operator should know about a prompt that was built all the same. */
export function Notices({ notices, wanted }: { readonly notices: readonly Notice[]; readonly wanted: Wanted }) {
  if (notices.length === 0) return null;
  return (
    <div className="mb-4 rounded-lg border border-wait/40 bg-card px-3 py-2 text-sm">
      <LongList
        items={notices}
        label="Notices"
        first={4}
        keyOf={({ code, section, message }, index) => `${code} ${section} ${message} ${index}`}
        draw={({ code, section, message }) => (
          <p className="[overflow-wrap:anywhere]">
            <strong className="font-medium text-wait">{code}</strong> <bdi>{message}</bdi>{" "}
            {section !== undefined && (
              <Link
                href={placeOf(wanted.agent, "sections", section, { user: wanted.user })}
                className="whitespace-nowrap text-accent underline"
              >
                <bdi>{section}</bdi>
              </Link>
            )}
          </p>
        )}
      />
    </div>
  );
}
