/** The font Symbol has signs of its own in the places of letters: from 0x20 and from 0xa1 on, a space where there is none. */
const lower =
  " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_ αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";
const upper =
  "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…   ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑" + " ".repeat(11) + "〉∫";
const FIRST_LOWER = 0x20;
const FIRST_UPPER = 0xa1;
/** Where Unicode has room for such fonts: 0xf061 is 0x61. */
const PRIVATE_PLACE = 0xf000;

/** Text written in the font Symbol, as characters. */
export function symbolText(codes: Iterable<number>): string {
  let text = "";
  for (const code of codes) {
    const at = code >= PRIVATE_PLACE ? code - PRIVATE_PLACE : code;
    text += (at < FIRST_UPPER ? lower[at - FIRST_LOWER] : upper[at - FIRST_UPPER]) ?? "";
  }
  return text;
}
