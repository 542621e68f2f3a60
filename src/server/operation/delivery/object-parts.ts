import { isAbstractType, Kind } from 'graphql';
import type { DirectiveNode, FieldNode, GraphQLNamedType, GraphQLSchema, SelectionNode, SelectionSetNode } from 'graphql';

import { Spreads } from './incremental-usage.ts';
import type { IncrementalUsage } from './incremental-usage.ts';

/** A selection set of an object, and the innermost `@defer` directives around the field that returns it: see `defersAround`. */
export interface ObjectSelections {
  readonly selectionSet: SelectionSetNode | undefined;
  readonly around: ReadonlySet<DirectiveNode | undefined>;
}

/** One use of `@defer` around fields of an object. */
interface Deferral {
  readonly id: number;
  readonly parent: Deferral | undefined;
}

/**
 * Counts the parts that graphql-js makes for each object of a type: the deferred fragments, or the groups of fields that are delivered
 * together, whichever are more. Three fragments with common fields have up to seven groups. There may also be groups without a fragment:
 * a field selected both inside and outside of a `@defer` divides the objects below it.
 */
export class ObjectParts {
  readonly #schema: GraphQLSchema;
  readonly #usage: IncrementalUsage;
  readonly #type: GraphQLNamedType;
  readonly #spreads = new Spreads();
  readonly #fields = new Map<string, Set<Deferral | undefined>>();
  #ids = 0;

  constructor(schema: GraphQLSchema, usage: IncrementalUsage, type: GraphQLNamedType) {
    this.#schema = schema;
    this.#usage = usage;
    this.#type = type;
  }

  count(selections: readonly ObjectSelections[]): number {
    const outer = new Map<DirectiveNode | undefined, Deferral | undefined>([[undefined, undefined]]);
    for (const { selectionSet, around } of selections) {
      for (const defer of around) {
        if (!outer.has(defer)) outer.set(defer, { id: this.#ids++, parent: undefined });
        if (selectionSet !== undefined) this.#collect(selectionSet, defer, outer.get(defer));
      }
    }
    const fragments = this.#ids - (outer.size - 1);
    const groups = new Set([...this.#fields.values()].map(nameOf));
    groups.delete(nameOf(new Set(selections.flatMap(({ around }) => [...around].map((defer) => outer.get(defer))))));
    return Math.max(fragments, groups.size);
  }

  #collect({ selections }: SelectionSetNode, around: DirectiveNode | undefined, deferral: Deferral | undefined): void {
    const { directives, fragments } = this.#usage;
    for (const selection of selections) {
      if (!directives.include(selection) || !this.#isOfType(selection)) continue;
      if (selection.kind === Kind.FIELD) {
        this.#add(selection, deferral);
        continue;
      }
      const defer = directives.active(selection, 'defer');
      const inner = this.#spreads.selectionSetOf(selection, { fragments, around: defer ?? around });
      if (inner === undefined) continue;
      this.#collect(inner, defer ?? around, defer === undefined ? deferral : { id: this.#ids++, parent: deferral });
    }
  }

  #add({ alias, name }: FieldNode, deferral: Deferral | undefined): void {
    const key = (alias ?? name).value;
    const known = this.#fields.get(key);
    if (known === undefined) this.#fields.set(key, new Set([deferral]));
    else known.add(deferral);
  }

  #isOfType(selection: SelectionNode): boolean {
    if (selection.kind === Kind.FIELD) return true;
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#usage.fragments.get(selection.name.value);
    const condition = fragment?.typeCondition?.name.value;
    if (condition === undefined || condition === this.#type.name) return true;
    const type = this.#schema.getType(condition);
    return type !== undefined && isAbstractType(type) && this.#schema.isSubType(type, this.#type as never);
  }
}

/**
 * A key that is equal for fields that are delivered together. A field that is also selected without `@defer` is not deferred, and a
 * `@defer` inside another one that selects the same field does not count.
 */
function nameOf(deferrals: ReadonlySet<Deferral | undefined>): string {
  if (deferrals.has(undefined)) return '';
  const ids: number[] = [];
  for (const deferral of deferrals) {
    let above = deferral?.parent;
    while (above !== undefined && !deferrals.has(above)) above = above.parent;
    if (above === undefined) ids.push(deferral!.id);
  }
  return ids.toSorted((one, other) => one - other).join(' ');
}
