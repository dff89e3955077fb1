/** One of the two things that are compared: what a turn sent, or the prompt the next one would have. */
export type Side = TurnSide | NowSide;

export type TurnSide = { readonly kind: "turn"; readonly turn: string };

export type NowSide = {
  readonly kind: "now";
  readonly user?: string;
  readonly channel?: string;
  readonly at?: string;
  readonly edition?: "full" | "compact";
  readonly tokens?: number;
};

/** As it stands in the address: `turn:<id>`, or `now:` and a query. What nobody could mean is left out. */
export function sideIn(text: string | undefined): Side | undefined {
  if (text?.startsWith("turn:") && text.length > 5) return { kind: "turn", turn: text.slice(5) };
  if (!text?.startsWith("now:")) return undefined;
  const query = new URLSearchParams(text.slice(4));
  const [user, channel, at] = ["user", "channel", "at"].map((key) => query.get(key) ?? "");
  const edition = query.get("edition");
  const tokens = Number(query.get("tokens") ?? "");
  return {
    kind: "now",
    ...(user ? { user } : {}),
    ...(channel ? { channel } : {}),
    ...(at && !Number.isNaN(Date.parse(at)) ? { at } : {}),
    ...(edition === "full" || edition === "compact" ? { edition } : {}),
    ...(Number.isInteger(tokens) && tokens > 0 ? { tokens } : {}),
  };
}

export function sideText(side: Side): string {
  if (side.kind === "turn") return `turn:${side.turn}`;
  const { kind: _, ...asked } = side;
  const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== "");
  return `now:${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}
