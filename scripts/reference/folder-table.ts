import {
  charterFields,
  type Fields,
  formOf,
  layerFields,
  sectionFields,
} from "../../charter/src/sources/charter-folder/field.ts";
import { withTable } from "./table.ts";

/** A page with the table of the fields of a charter's files written anew. */
export function withFolderFields(page: string): string {
  const tables: readonly [string, Fields][] = [
    ["`charter.yaml`", charterFields],
    ["a layer", layerFields],
    ["a section", sectionFields],
  ];
  const rows = tables.flatMap(([where, fields]) =>
    Object.entries(fields).map(
      ([name, { shape, says, isNeeded }]) =>
        `| ${where} | \`${name}\`${isNeeded ? ", needed" : ""} | ${formOf(shape)} | ${says} |`,
    ),
  );
  const head = ["| of | field | is | meaning |", "|---|---|---|---|"];
  return withTable(page, "charter/src/sources/charter-folder/field.ts", [...head, ...rows]);
}
