/** A lock: nobody changes these words while the agent runs. */
export function Lock({ className = "size-3" }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 12 12" className={`shrink-0 ${className}`} aria-hidden="true">
      <path d="M3.5 5.5V4a2.5 2.5 0 0 1 5 0v1.5" fill="none" stroke="currentColor" strokeWidth="1.4" />
      <rect x="2" y="5.5" width="8" height="5.5" rx="1.2" fill="currentColor" />
    </svg>
  );
}
