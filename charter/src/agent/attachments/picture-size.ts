type PictureSize = { readonly width: number; readonly height: number };

/** The size of a picture in pixels, as its head says it; `undefined` where that cannot be read. */
export function pictureSize(bytes: Uint8Array, mediaType: string): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = readers[mediaType]?.(view);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

/** About how many pages a PDF has. What is packed in it cannot be counted: then its size says it. */
export function pageCount(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const pages = text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0;
  return pages > 0 ? pages : Math.max(1, Math.ceil(bytes.length / 50_000));
}

const readers: Readonly<Record<string, (view: DataView) => PictureSize | undefined>> = {
  "image/png": (view) => (view.byteLength < 24 ? undefined : { width: view.getUint32(16), height: view.getUint32(20) }),
  "image/gif": (view) =>
    view.byteLength < 10 ? undefined : { width: view.getUint16(6, true), height: view.getUint16(8, true) },
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
};

/** Segment by segment to the one that starts the frame. */
function jpegSize(view: DataView): PictureSize | undefined {
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const startsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (startsFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** One of three forms: lossy, lossless, or with an extended head. */
function webpSize(view: DataView): PictureSize | undefined {
  if (view.byteLength < 30) return undefined;
  const form = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  const low = (at: number) => view.getUint16(at, true) & 0x3fff;
  if (form === "VP8 ") return { width: low(26), height: low(28) };
  if (form === "VP8L") {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  const three = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1;
  return form === "VP8X" ? { width: three(24), height: three(27) } : undefined;
}
