import { quoted } from "../prompt/fence.ts";
import type { Attachment, AttachmentKind } from "../prompt/step-result.ts";

export function kindOfAttachment({ mediaType }: Pick<Attachment, "mediaType">): AttachmentKind {
  if (mediaType.startsWith("image/")) return "image";
  return mediaType === "application/pdf" ? "pdf" : "text";
}

/** "photo.png", image/png, 12 kB, 640 × 480: on one line, whatever its name is. */
export function attachmentLine({ name, mediaType, bytes, width, height, pages }: Attachment): string {
  const size = width !== undefined && height !== undefined ? [`${width} × ${height}`] : [];
  const length = pages === undefined ? [] : [pages === 1 ? "1 page" : `${pages} pages`];
  return [...(name === undefined ? [] : [quoted(name)]), mediaType, bytesText(bytes), ...size, ...length].join(", ");
}

function bytesText(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
