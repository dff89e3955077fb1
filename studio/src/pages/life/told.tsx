import { useEffect, useRef } from "react";

/** Something that was just done here. */
export type Done = { readonly number: number; readonly says: string };

/** What was just done here, the newest first. The button that was pressed may be gone with its message: one goes on from here. */
export function Told({ told }: { readonly told: readonly Done[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (told.length > 0) place.current?.focus({ preventScroll: true });
  }, [told]);
  return (
    <div ref={place} role="status" tabIndex={-1}>
      {told.length > 0 && (
        <ul className="mb-4 space-y-1 rounded-lg border border-good/50 bg-card px-4 py-2.5 text-sm [overflow-wrap:anywhere]">
          {told.map(({ number, says }) => (
            <li key={number}>{says}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
