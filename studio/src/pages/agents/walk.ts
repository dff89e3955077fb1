/** Where someone stands in a building: which layer, counted from the first on top, and which room on it. */
export type Spot = { readonly floor: number; readonly room: number };

/** Where an arrow leads from there. `rooms` says how many each floor has; nothing: it is no way to go. */
export function step(rooms: readonly number[], { floor, room }: Spot, key: string): Spot | undefined {
  const on = (wanted: number): Spot | undefined => {
    const there = rooms[wanted];
    return there ? { floor: wanted, room: Math.min(room, there - 1) } : undefined;
  };
  if (key === "ArrowDown") return on(floor + 1);
  if (key === "ArrowUp") return on(floor - 1);
  const last = (rooms[floor] ?? 1) - 1;
  if (key === "Home") return { floor, room: 0 };
  if (key === "End") return { floor, room: last };
  if (key === "ArrowLeft" && room > 0) return { floor, room: room - 1 };
  if (key === "ArrowRight" && room < last) return { floor, room: room + 1 };
  return undefined;
}
