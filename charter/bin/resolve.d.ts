/** Makes `charter` and its doors resolve to this very package, whatever folder the importing file is in. */
export declare function useSource(): void;
