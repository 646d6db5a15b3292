import { zipSync } from "fflate";
import { garments } from "./garments.ts";
import type { Zoo } from "./zoo.ts";

const level = (n: number): string => `<!ENTITY l${n} "${`&l${n - 1};`.repeat(10)}">`;
const laughs = `<!ENTITY l0 "zqlaugh ">${Array.from({ length: 9 }, (_, n) => level(n + 1)).join("")}`;
const manyTimes = `<!ENTITY big "${"a".repeat(100_000)}">`;
const loop = '<!ENTITY a "&b;"><!ENTITY b "&a;">';
const parameters = `<!ENTITY % p "<!ENTITY &#37; q '%p;%p;'>"> %p; %q;`;

interface Dtd {
  readonly inside: string;
  readonly text: string;
  readonly outside?: string;
}

function dtds(secret: string): Readonly<Record<string, Dtd>> {
  return {
    "billion laughs": { inside: laughs, text: "&l9;" },
    "one large entity 50000 times": { inside: manyTimes, text: "&big;".repeat(50_000) },
    "entities in a ring": { inside: loop, text: "&a;" },
    "parameter entities": { inside: parameters, text: "x" },
    "external entity": { inside: `<!ENTITY e SYSTEM "file://${secret}">`, text: "&e;" },
    "external parameter entity": { inside: `<!ENTITY % e SYSTEM "file://${secret}"> %e;`, text: "x" },
    "external type": { inside: "", text: "x", outside: `SYSTEM "file://${secret}"` },
    "a million entities": {
      inside: Array.from({ length: 300_000 }, (_, n) => `<!ENTITY e${n} "x">`).join(""),
      text: "&e1;",
    },
    "a type that never ends": { inside: "<!ENTITY ".repeat(200_000), text: "x" },
  };
}

const prologOf = (root: string, { inside, outside = "" }: Dtd): string =>
  `<?xml version="1.0"?><!DOCTYPE ${root} ${outside}[${inside}]>`;

/** XML formats that are one text: the file out of a prolog and a text with entities. */
const plain: Readonly<Record<string, (dtd: Dtd) => string>> = {
  xml: (dtd) => `${prologOf("a", dtd)}<a><title>${dtd.text}</title><b c="${dtd.text}">zqafter</b></a>`,
  svg: (dtd) =>
    `${prologOf("svg", dtd)}<svg xmlns="http://www.w3.org/2000/svg"><text>${dtd.text}</text></svg>`,
  rss: (dtd) =>
    `${prologOf("rss", dtd)}<rss><channel><title>${dtd.text}</title><item><description>${dtd.text}</description></item></channel></rss>`,
  dbk: (dtd) => `${prologOf("book", dtd)}<book><title>${dtd.text}</title><para>${dtd.text}</para></book>`,
  fodt: (dtd) =>
    `${prologOf("d", dtd)}<office:document xmlns:office="o" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>${dtd.text}</text:p></office:text></office:body></office:document>`,
  fods: (dtd) =>
    `${prologOf("d", dtd)}<office:document xmlns:office="o" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table><table:table-row><table:table-cell><text:p>${dtd.text}</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document>`,
  fodp: (dtd) =>
    `${prologOf("d", dtd)}<office:document xmlns:office="o" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation><draw:page><draw:frame><draw:text-box><text:p>${dtd.text}</text:p></draw:text-box></draw:frame></draw:page></office:presentation></office:body></office:document>`,
  xhtml: (dtd) =>
    `${prologOf("html", dtd)}<html xmlns="http://www.w3.org/1999/xhtml"><body><p>${dtd.text}</p></body></html>`,
  html: (dtd) => `${prologOf("html", dtd)}<html><body><p>${dtd.text}</p></body></html>`,
};

/** `secret` is the path of a file whose words must not come in. */
export function entities(secret: string): Zoo {
  const zoo: Record<string, () => string | Uint8Array> = {};
  for (const [name, dtd] of Object.entries(dtds(secret))) {
    for (const [extension, make] of Object.entries(plain)) zoo[`${name}.${extension}`] = () => make(dtd);
    for (const [extension, { entry, others, head, tail, piece }] of Object.entries(garments)) {
      zoo[`${name}.${extension}`] = () => {
        const root = /<(?!\?)([\w:]+)/.exec(head)?.[1] ?? "a";
        const text = prologOf(root, dtd) + head.replace(/^<\?[^>]*\?>/, "") + piece(dtd.text) + tail;
        return zipSync({ ...others, [entry]: Buffer.from(text) }, { level: 1 });
      };
    }
  }
  return zoo;
}
