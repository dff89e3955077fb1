/**
 * A picture or a file that came with an input: what is known of it. Its bytes are kept once, by their digest, and are in
 * a request only as `data`.
 */
export type Attachment = {
  /** SHA-256 of its bytes, in lower-case hex. */
  readonly digest: string;
  readonly mediaType: string;
  /** Its size. */
  readonly bytes: number;
  readonly name?: string;
  /** Of a picture, in pixels, where its bytes say so. */
  readonly width?: number;
  readonly height?: number;
  /** Of a document, about. */
  readonly pages?: number;
};

/** What a receiver has to be able to take it. Text is sent as text, and everyone takes that. */
export type AttachmentKind = "image" | "pdf" | "text";
