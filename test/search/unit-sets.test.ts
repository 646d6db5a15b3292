import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openIndexReader } from "../../workers/search/index-reader.ts";
import { createPostingCache } from "../../workers/search/postings/posting-cache.ts";
import { createTokenizer } from "../../workers/search/tokenizer.ts";
import { meeting } from "../../workers/search/unit-sets.ts";
import { planPhrase } from "../../workers/words/query.ts";
import { buildIndex } from "../support/build-index.ts";
import { temporaryFolder } from "../support/temporary.ts";

it("units that are asked one by one whether they hold a frequent phrase answer as those that are listed", () => {
  const index = buildIndex(path.join(temporaryFolder(), "index.sqlite"));
  onTestFinished(() => index.close());
  const chunks = Array.from({ length: 60 }, (_, at) =>
    at % 3 === 0 ? `one of a the ${at}` : `one of the ${at}`,
  );
  index.add({ id: "material", chunks });
  const reader = openIndexReader("base", index.path);
  onTestFinished(() => reader.close());
  const tokenizer = createTokenizer();
  onTestFinished(() => tokenizer.close());
  const postings = createPostingCache(reader);
  postings.refresh();
  const phrase = planPhrase("of the")!;
  const numbers = Array.from({ length: 70 }, (_, at) => at);
  for (const demands of [
    { required: [phrase], excluded: [] },
    { required: [], excluded: [phrase] },
  ]) {
    const [listed, asked] = [60, 0].map((most) => {
      const units = meeting({ reader, postings, tokenizer }, demands, null, most)!;
      return numbers.map((number) => units.has(number));
    });
    expect(asked).toEqual(listed);
    expect(new Set(listed)).toEqual(new Set([true, false]));
  }
});
