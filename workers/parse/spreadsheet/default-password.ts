/** Excel itself tries this one: a workbook whose build alone is protected opens without a question. UTF-16. */
export const DEFAULT_PASSWORD = Buffer.from("VelvetSweatshop", "utf16le");
