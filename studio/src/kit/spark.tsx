/** How much of something there was, day by day, as a line as small as a word. */
export function Spark({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const most = Math.max(1, ...values);
  const step = 60 / Math.max(1, values.length - 1);
  const points = values.map((value, at) => `${(at * step + 2).toFixed(1)},${(17 - (value / most) * 14).toFixed(1)}`);
  return (
    <svg role="img" aria-label={`${label}: ${values.join(", ")}`} viewBox="0 0 64 20" className="inline-block h-5 w-16">
      <polyline points={points.join(" ")} className="fill-none stroke-accent stroke-[1.5]" />
    </svg>
  );
}
