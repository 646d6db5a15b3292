import type { FieldsData } from "@kenjiuno/msgreader";

/** What appointments and contacts say beside their text: names for people and values. */
export function detailsOf(fields: FieldsData): (readonly [string, string])[] {
  const kind = (fields.messageClass ?? "").toLowerCase();
  if (/^ipm\.(?:appointment|schedule)/.test(kind)) return appointment(fields);
  return kind.startsWith("ipm.contact") ? contact(fields) : [];
}

function appointment(fields: FieldsData): (readonly [string, string])[] {
  return filled([
    ["Start", minutes(fields.apptStartWhole ?? fields.clipStart)],
    ["End", minutes(fields.apptEndWhole ?? fields.clipEnd)],
    ["Timezone", fields.timeZoneDesc],
    ["Location", fields.apptLocation],
  ]);
}

function contact(fields: FieldsData): (readonly [string, string])[] {
  return filled([
    ["Company", fields.companyName],
    ["Department", fields.departmentName],
    ["Position", fields.title],
    ["Mail", fields.email1EmailAddress],
    ["Phone", fields.businessTelephoneNumber],
    ["Mobile", fields.mobileTelephoneNumber],
    ["Home phone", fields.homeTelephoneNumber],
    ["Address", fields.postalAddress ?? fields.workAddress],
    ["Web page", fields.businessHomePage],
  ]);
}

function filled(pairs: readonly (readonly [string, string | undefined])[]): (readonly [string, string])[] {
  return pairs.flatMap(([name, value]) => {
    const text = value?.replaceAll(/\s+/g, " ").trim() ?? "";
    return text === "" ? [] : [[name, text] as const];
  });
}

/** "2017-02-28 18:30 UTC". */
function minutes(time: string | undefined): string | undefined {
  const parsed = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(parsed) ? time : `${new Date(parsed).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
