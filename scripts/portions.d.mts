export type Portion = "running" | "running-with-node" | "everything";
export type Todo = "nothing" | "add" | "anew";
type Place = { readonly lockfile: string | Uint8Array; readonly platform?: string };

export declare const running: readonly string[];
export declare function portionFor(needs: "running" | "everything", node?: string): Portion;
export declare function newEnough(version: string): boolean;
export declare function stampOf(portion: Portion, place: Place): string;
export declare function todoFor(portion: Portion, stamp: string, place: Place): Todo;
export declare function orderFor(
  portion: Portion,
  stamp: string,
  todo: Todo,
): { readonly npm: readonly string[]; readonly sentence: string };
