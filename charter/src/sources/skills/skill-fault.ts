import type { Diagnostic, DiagnosticCode } from "../disk/diagnostic.ts";
import { pathLine } from "../disk/path-line.ts";

/** Something wrong with a skill: what is said goes on where its path ends. */
export function skillFault(
  severity: Diagnostic["severity"],
  code: DiagnosticCode,
  path: string,
  said: string,
): Diagnostic {
  return { severity, code, path, message: `${pathLine(path)}${said}` };
}

/** Something the Agent Skills specification rules out. */
export function againstSpecification(
  severity: Diagnostic["severity"],
  code: DiagnosticCode,
  path: string,
  said: string,
): Diagnostic {
  return { ...skillFault(severity, code, path, said), spec: true };
}
