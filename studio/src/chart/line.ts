export type Point = { readonly x: number; readonly y: number };

/** A line through points, parted where one is missing. A point that stands alone is a dot. */
export function linePath(points: readonly (Point | undefined)[]): string {
  let path = "";
  let drawing = false;
  points.forEach((point, at) => {
    if (!point) {
      drawing = false;
      return;
    }
    const place = `${round(point.x)} ${round(point.y)}`;
    path += drawing ? `L${place}` : `M${place}`;
    if (!drawing && !points[at + 1]) path += "h.01";
    drawing = true;
  });
  return path;
}

const round = (value: number) => Math.round(value * 100) / 100;
