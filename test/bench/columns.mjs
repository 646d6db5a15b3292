/** Rows of cells under a row of names, in columns. */
export function printColumns(names, rows) {
  const all = [names, ...rows].map((row) => row.map(String));
  const widths = names.map((_, at) => Math.max(...all.map((row) => row[at].length)));
  const lines = all.map((row) =>
    row.map((cell, at) => cell[at ? "padStart" : "padEnd"](widths[at])).join("  "),
  );
  process.stdout.write(`\n${lines.join("\n")}\n`);
}
