/** Imports a package that may not be here; no bundler looks for it. */
export declare function importPackage(name: string): Promise<unknown>;
