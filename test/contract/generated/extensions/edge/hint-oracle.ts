import type { CacheHint } from '../../../../../src/entries/edge.ts';
import type { RandomQuery } from './random-query.ts';

/** A `@cacheControl`. */
export interface TypeHint extends CacheHint {
  readonly inherits?: true;
}

export interface FieldModel {
  /** The type of the field, in brackets for a list. */
  readonly type: string;
  readonly hint: TypeHint;
}

/** A schema with the types A, B and C, the interface Node and the union Any. */
export interface SchemaModel {
  /** By type and name. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, FieldModel>>>>;
  /** The hints of the interface's fields. */
  readonly ofInterface: Readonly<Record<string, TypeHint>>;
  readonly types: Readonly<Record<string, TypeHint>>;
}

/** A call of a resolver that may give a hint. */
export interface Call {
  readonly parent: string;
  /** Response names from the root, joined with dots. */
  readonly path: string;
  /** Undefined: it has given none. */
  readonly hint: CacheHint | undefined;
}

/** The object types that a value of this type may have. */
function possible(type: string): readonly string[] {
  const name = type.replaceAll(/[[\]]/g, '');
  return name === 'Node' || name === 'Any' ? ['A', 'B', 'C'] : ['A', 'B', 'C', 'Query'].includes(name) ? [name] : [];
}

/**
 * Computes the rules of edge.md a second time: an answer lives as long as every object type that its values may have, and every field on the way,
 * allow. 0: it is private. A resolver's hint is that of its own field and parent type, if every call of them gave one.
 */
export function lifetimeOf(model: SchemaModel, query: RandomQuery, calls: readonly Call[], defaultMaxAge: number): number {
  let lifetime = Infinity;
  const allow = ({ maxAge, scope }: CacheHint): void =>
    void (lifetime = Math.min(lifetime, scope === 'PRIVATE' ? 0 : (maxAge ?? Infinity)));
  const visit = (types: readonly string[], selection: RandomQuery, parentPath: string): void => {
    for (const { key, name, on, below = [] } of selection) {
      const path = parentPath === '' ? key : `${parentPath}.${key}`;
      for (const parent of types) {
        const field = model.fields[parent]![name];
        if (field === undefined || (on !== undefined && on !== parent)) continue;
        const ofSchema = hintsOf(model, { parent, name, field }, defaultMaxAge);
        const own = calls.filter((call) => call.parent === parent && call.path === path);
        for (const { hint } of own) for (const schema of hint === undefined ? [] : ofSchema) allow(combined(schema, hint!));
        if (own.length === 0 || own.some(({ hint }) => hint === undefined)) for (const schema of ofSchema) allow(schema);
        visit(possible(field.type), below, path);
      }
    }
  };
  visit(['Query'], query, '');
  return lifetime === Infinity ? 0 : lifetime;
}

function combined(schema: CacheHint, { maxAge = schema.maxAge, scope = schema.scope }: CacheHint): CacheHint {
  return { maxAge, scope };
}

/** One hint for each type that the value may have, one for its interface or union, and one for the interface of the parent. */
function hintsOf(
  { types, ofInterface }: SchemaModel,
  { parent, name, field: { type, hint } }: { readonly parent: string; readonly name: string; readonly field: FieldModel },
  defaultMaxAge: number,
): readonly CacheHint[] {
  const all = possible(type);
  const ofType = (own: TypeHint, needsLifetime: boolean): CacheHint => {
    const { maxAge = own.maxAge, scope = own.scope } = hint;
    return { maxAge: maxAge ?? (needsLifetime ? defaultMaxAge : undefined), scope };
  };
  const needs = (own: TypeHint): boolean => parent === 'Query' || (all.length > 0 && own.inherits !== true && hint.inherits !== true);
  const ofObjects = all.map((one) => ofType(types[one]!, needs(types[one]!)));
  const itself = types[type.replaceAll(/[[\]]/g, '')];
  const { maxAge, scope } = (parent === 'Query' ? undefined : ofInterface[name]) ?? {};
  return [
    ...(all.length === 0 ? [ofType({}, parent === 'Query')] : ofObjects),
    ...(all.length > 1 ? [ofType(itself!, false)] : []),
    { maxAge, scope },
  ];
}
