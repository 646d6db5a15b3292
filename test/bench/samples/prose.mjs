// Plain prose with headings, lists and tables, made by code and the same on every machine.
const WORDS =
  "key rotation archive garden morning letter engine river signal paper window market teacher record station value".split(
    " ",
  );

/** A small generator of whole numbers below n, the same each time. */
function numbers(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % n;
  };
}

export function prose(seed) {
  const below = numbers(seed);
  const sentence = (words = 12) =>
    `${Array.from({ length: words }, () => WORDS[below(WORDS.length)]).join(" ")} ${below(10_000)}.`;
  const paragraph = () => Array.from({ length: 5 }, () => sentence()).join(" ");
  return { sentence, paragraph, heading: () => `Chapter ${below(1000)} ${sentence(3)}`, below };
}

export const times = (n, make) => Array.from({ length: n }, (_, at) => make(at));
export const bytes = (text) => Buffer.from(text, "utf8");
/** A page has a heading, six paragraphs, a list and a small table: about 500 words. */
function page(seed, forms) {
  const { heading, paragraph, sentence } = prose(seed);
  const rows = times(4, () => [sentence(2), sentence(2), sentence(1)]);
  return [
    forms.heading(heading()),
    ...times(6, () => forms.paragraph(paragraph())),
    forms.list(times(4, () => sentence(5))),
    forms.table(rows),
  ].join("\n");
}

export const pages = (n, seed, forms) => times(n, (at) => page(seed * 1000 + at, forms)).join("\n");

export const html = {
  heading: (text) => `<h2>${text}</h2>`,
  paragraph: (text) => `<p>${text}</p>`,
  list: (items) => `<ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul>`,
  table: (rows) =>
    `<table>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("")}</table>`,
};
