import { reasonOf } from "../../prompt/problem.ts";

type Sdk = typeof import("@modelcontextprotocol/client");

/**
 * What went wrong with a server. Its own words stand in `said` alone, which is fenced wherever a model sees it; `because`
 * is ours.
 */
export type McpFault =
  | { readonly kind: "answered"; readonly code: number; readonly said: string }
  | { readonly kind: "late" | "misunderstood" | "connection"; readonly because: string };

const programFaults: Readonly<Record<string, string>> = {
  ENOENT: "its program was not found",
  EACCES: "its program may not be started",
  ECONNREFUSED: "nobody answers at its address",
  ENOTFOUND: "its address was not found",
};

/** Says in our words what one of the library's faults, or the system's, means. */
export function faultReader(sdk: Sdk): (error: unknown) => McpFault {
  const { SdkErrorCode: codes } = sdk;
  const misunderstood = new Map<string, string>([
    [codes.InvalidResult, "its answer is none that MCP knows"],
    [codes.UnsupportedResultType, "it asks for more than a tool's input, which it is not given"],
    [codes.ListPaginationExceeded, "its list of tools does not end"],
  ]);
  return (error) => {
    if (error instanceof sdk.ProtocolError) return { kind: "answered", code: error.code, said: reasonOf(error) };
    if (error instanceof sdk.SdkHttpError) return { kind: "connection", because: statusText(error.status) };
    if (error instanceof sdk.SdkError) {
      if (error.code === codes.RequestTimeout) return { kind: "late", because: "it did not answer in time" };
      const known = misunderstood.get(error.code);
      if (known !== undefined) return { kind: "misunderstood", because: known };
    }
    return { kind: "connection", because: connectionText(error) };
  };
}

function statusText(status: number): string {
  if (status === 401 || status === 403) return `it refuses our headers (status ${status})`;
  return `it answered with status ${status}`;
}

function connectionText(error: unknown): string {
  const { code, cause } = Object(error) as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  const known = [code, cause?.code].find((one) => typeof one === "string" && Object.hasOwn(programFaults, one));
  return known === undefined
    ? "the connection to it broke, or never came about"
    : (programFaults[known as string] as string);
}
