/** The relays that did not take a change, each with its reason. */
export function MissedRelays({ missed }: { readonly missed: readonly { place: string; reason: string }[] }) {
  if (missed.length === 0) return null;
  return (
    <ul aria-label="Relays that did not take it" className="space-y-0.5">
      {missed.map(({ place, reason }) => (
        <li key={place + reason} className="[overflow-wrap:anywhere]">
          <code>{place}</code> <span className="text-soft">{reason}</span>
        </li>
      ))}
    </ul>
  );
}
