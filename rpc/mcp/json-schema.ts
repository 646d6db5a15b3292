import { z } from "zod";

export interface ObjectSchema {
  readonly type: "object";
  readonly properties?: Record<string, object>;
  readonly required?: string[];
  readonly [key: string]: unknown;
}

/** What a tool takes. `hidden` names the params that are not offered, `defaults` has those of the tool's own. */
export function inputSchema(
  params: z.ZodType,
  hidden: ReadonlySet<string>,
  defaults: Readonly<Record<string, unknown>>,
): ObjectSchema {
  const { properties = {}, required = [], ...rest } = shortSchema(params, "input");
  return {
    ...rest,
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => !hidden.has(name))
        .map(([name, schema]) => [name, name in defaults ? { ...schema, default: defaults[name] } : schema]),
    ),
    required: required.filter((name) => !hidden.has(name)),
  };
}

/** What a tool answers. Fields that a newer daemon adds are no breach of it. */
export function outputSchema(result: z.ZodType): ObjectSchema {
  return { ...shortSchema(result, "output"), type: "object" };
}

/**
 * Without what only costs a model's attention: the pattern beside a format, the bounds of safe integers. The dialect is
 * left out too: clients that check by an older one refuse a schema that names one they do not know.
 */
function shortSchema(type: z.ZodType, io: "input" | "output"): Partial<ObjectSchema> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      listedByOneSchema(jsonSchema);
      if (io === "output" && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  return schema as Partial<ObjectSchema>;
}

/**
 * A tuple is said as a list of so many entries, each like one of its own: by the older dialect, which clients still check
 * by, `prefixItems` says nothing and its `items: false` refuses every entry.
 */
function listedByOneSchema(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.prefixItems === undefined) return;
  const prefixItems = schema.prefixItems as z.core.JSONSchema.BaseSchema[];
  const distinct = [...new Map(prefixItems.map((one) => [JSON.stringify(one), one])).values()];
  const [only] = distinct;
  schema.items = distinct.length === 1 && only !== undefined ? only : { anyOf: distinct };
  schema.minItems = prefixItems.length;
  schema.maxItems = prefixItems.length;
  delete schema.prefixItems;
}
