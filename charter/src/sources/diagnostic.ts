/** Something about a file its author can mend. An error keeps the file out of the prompt; a warning does not. */
export type Diagnostic = {
  readonly severity: "error" | "warning";
  /** The same word in the listing, in JSON and in docs/files.md. */
  readonly code: string;
  readonly path: string;
  readonly message: string;
};
