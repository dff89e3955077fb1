const signs = [
  ["h-3.5 w-1 bg-good", "answered"],
  ["h-3.5 w-1 bg-live", "nothing to report"],
  ["h-3.5 w-1 bg-bad", "failed or missed"],
  ["h-3.5 w-1 bg-wait", "waiting or running"],
  ["h-3.5 w-1 bg-soft", "skipped"],
  ["h-2.5 w-0.5 bg-accent", "upcoming"],
] as const;

/** What the ticks of the time line mean. */
export function StripLegend() {
  return (
    <ul className="mb-3 flex flex-wrap gap-x-4 gap-y-1 text-soft text-xs">
      {signs.map(([look, says]) => (
        <li key={says} className="flex items-center gap-1.5">
          <span className={look} />
          {says}
        </li>
      ))}
    </ul>
  );
}
