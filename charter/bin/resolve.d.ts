/**
 * Makes `charter` and its doors resolve to this very package, whatever folder the importing file is in. `file`: the URL of
 * a user's file that is about to be imported.
 */
export declare function useSource(file?: string): void;

/** The users' files that were imported, as URLs. */
export declare function usedFiles(): string[];
