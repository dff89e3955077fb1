export declare const passedOn: readonly NodeJS.Signals[];
/** Whether it was started with nohup: a terminal that is closed does not end it. */
export declare function ignoresHangup(env?: NodeJS.ProcessEnv): boolean;
/** Whether npm or npx runs it, which pass on what may have reached everyone. */
export declare function isUnderNpm(env?: NodeJS.ProcessEnv): boolean;
/** Ends as a child has. */
export declare function endAs(ended: { readonly code: number | null; readonly signal?: NodeJS.Signals | null }): void;
export declare function numberOf(signal: NodeJS.Signals): number;
