const paths = {
  attach:
    "M21 11.5l-8.6 8.6a5.5 5.5 0 0 1-7.8-7.8l8.9-8.9a3.7 3.7 0 0 1 5.2 5.2l-8.9 8.9a1.8 1.8 0 0 1-2.6-2.6l8.2-8.2",
  send: "M12 20V5M5.5 11.5L12 5l6.5 6.5",
  plus: "M12 5v14M5 12h14",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  down: "M12 5v14M5.5 12.5L12 19l6.5-6.5",
  talk: "M4 5.5h16v11H10l-4.5 3.5v-3.5H4z",
  instructions: "M6 3.5h9l4 4v13H6zM15 3.5v4h4M9.5 12h6M9.5 16h6",
  notes: "M7 3.5h10.5v17L12.2 16 7 20.5z",
  reminders: "M12 7v5l3.5 2M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17z",
  waiting: "M12 8v5M12 16.5v.1M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17z",
  telegram: "M3.5 11.5L20.5 4l-3 16-5.5-4.5-3 3-.5-5.5L17 7.5 6.5 12.5z",
  account: "M12 12.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.8-3.6 3.7-5.5 7.5-5.5s6.700 1.900 7.500 5.500",
  file: "M6.500 3.500h8l4 4v13h-12zM14.500 3.500v4h4",
  check: "M5 12.500l4.500 4.500L19 7.500",
} as const;

export type IconName = keyof typeof paths;

/** A picture beside words that say the same; alone only in a button that has a name. */
export function Icon({ name, className = "size-5" }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`shrink-0 ${className}`}
    >
      <path d={paths[name]} />
    </svg>
  );
}
