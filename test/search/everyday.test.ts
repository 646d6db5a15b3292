import { describe, expect, it } from "vitest";
import { queryParams, useSearch } from "../support/search-fixture.ts";

const fixture = useSearch();

async function titles(query: string): Promise<string[]> {
  const { hits } = await fixture.search.query(queryParams({ query }), new AbortController().signal);
  return hits.map(({ title }) => title);
}

describe("words that a passage has by chance", () => {
  function fill() {
    const { add } = fixture.base();
    add({
      title: "overheating",
      chunks: ["When the motor runs too hot, check the radiator and its coolant."],
    });
    add({ title: "traffic", chunks: ["The report counts bicycles in the traffic of twelve towns."] });
    add({ title: "bread", chunks: ["The dough rests for an hour before it goes into the oven."] });
    add({ title: "release", chunks: ["Build zqx-4711 was withdrawn because of a wrong date."] });
    add({ title: "garden", chunks: ["Tulips want a sunny place and soil that is not wet."] });
  }

  it("do not stand above a passage that means what is asked", async () => {
    fill();
    expect((await titles("why does my engine overheat in traffic"))[0]).toBe("overheating");
  });

  it("count in full when they are names or terms that no model knows", async () => {
    fill();
    expect((await titles("who broke zqx-4711"))[0]).toBe("release");
    expect((await titles("zqx somewhere else entirely"))[0]).toBe("release");
  });

  it("count in full when they are most of what is asked", async () => {
    fill();
    expect((await titles("traffic of towns"))[0]).toBe("traffic");
    expect((await titles("tulips"))[0]).toBe("garden");
  });
});
