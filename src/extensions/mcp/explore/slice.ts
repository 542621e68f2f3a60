import { getNamedType, isEnumType, isInputObjectType, isInterfaceType, isUnionType, print } from 'graphql';
import type { GraphQLArgument, GraphQLInputField, GraphQLNamedType } from 'graphql';

import { textOf } from './paths.ts';
import type { Path } from './paths.ts';
import type { Entry } from './ranking.ts';
import type { VisibleSchema } from './visible-schema.ts';

/** Characters of a slice with its paths. */
export const maxSlice = 8000;

/** A part of a schema as SDL: the types of what was found, with what leads there. It grows as long as there is room. */
export class Slice {
  readonly #visible: VisibleSchema;
  /** The lines of types by their names. */
  readonly #types = new Map<GraphQLNamedType, Map<string, string>>();
  readonly #paths = new Set<string>();
  #left = maxSlice;

  constructor(visible: VisibleSchema) {
    this.#visible = visible;
  }

  /** Adds a field with the paths to its type, and the fields of the first. False: there is no room. */
  add(entry: Entry, paths: readonly Path[]): boolean {
    const entries = [entry];
    for (let at = paths[0]; at !== undefined; at = at.before)
      if (at.field !== undefined) entries.push({ type: at.before!.type as Entry['type'], field: at.field });
    const lines = entries.map(({ type, field }) => [type, field.name, this.#lineOf(field)] as const);
    return this.#fit(
      lines,
      paths.map((path) => `${textOf(path)}.${entry.field.name}`),
    );
  }

  /** Adds the input types and enums of a field, as far as there is room. */
  addInputs({ field }: Entry): void {
    const seen = new Set<GraphQLNamedType>();
    const read = (type: GraphQLNamedType): void => {
      if (seen.has(type) || !(isEnumType(type) || isInputObjectType(type))) return;
      seen.add(type);
      const members = isEnumType(type) ? type.getValues() : Object.values(type.getFields());
      const visible = (members as readonly GraphQLInputField[]).filter((one) => this.#visible.has(one));
      const lines = visible.map((one) => [type, one.name, isEnumType(type) ? one.name : inputOf(one)] as const);
      if (this.#fit(lines, []) && !isEnumType(type)) for (const one of visible) read(getNamedType(one.type));
    };
    for (const one of [field, ...field.args.filter((arg) => this.#visible.has(arg))]) read(getNamedType(one.type));
  }

  get paths(): readonly string[] {
    return [...this.#paths];
  }

  get sdl(): string {
    const sorted = [...this.#types].toSorted(([one], [other]) => (one.name < other.name ? -1 : 1));
    return sorted.map(([type, lines]) => `${headOf(type)}${[...lines.values()].map((line) => `  ${line}\n`).join('')}}\n`).join('');
  }

  #fit(lines: readonly (readonly [type: GraphQLNamedType, name: string, line: string])[], paths: readonly string[]): boolean {
    const added = lines.filter(([type, name]) => this.#types.get(type)?.has(name) !== true);
    const types = new Set(added.map(([type]) => type).filter((type) => !this.#types.has(type)));
    const newPaths = paths.filter((path) => !this.#paths.has(path));
    let length = 0;
    for (const type of types) length += headOf(type).length + 2;
    for (const [, , line] of added) length += line.length + 3;
    for (const path of newPaths) length += path.length + 3;
    if (length > this.#left) return false;
    this.#left -= length;
    for (const type of types) this.#types.set(type, new Map());
    for (const [type, name, line] of added) this.#types.get(type)!.set(name, line);
    for (const path of newPaths) this.#paths.add(path);
    return true;
  }

  #lineOf({ name, args, type, description, deprecationReason }: Entry['field']): string {
    const shown = args.filter((one) => this.#visible.has(one)).map(inputOf);
    const given = shown.length === 0 ? '' : `(${shown.join(', ')})`;
    const text = clean(description);
    return `${text && `${JSON.stringify(text)}\n  `}${name}${given}: ${String(type)}${deprecationReason == null ? '' : ' @deprecated'}`;
  }
}

function inputOf({ name, type, astNode }: GraphQLArgument | GraphQLInputField): string {
  const value = astNode?.defaultValue;
  // Values of enums may be hidden.
  const isShown = value !== undefined && /^(?:Int|Float|String|Boolean)Value$/.test(value.kind);
  return `${name}: ${String(type)}${isShown ? ` = ${print(value)}` : ''}`;
}

function headOf(type: GraphQLNamedType): string {
  const kind = isEnumType(type)
    ? 'enum'
    : isInputObjectType(type)
      ? 'input'
      : isInterfaceType(type)
        ? 'interface'
        : isUnionType(type)
          ? 'union'
          : 'type';
  return `${kind} ${type.name} {\n`;
}

/** Models read descriptions as part of their prompt: without characters that people cannot see, and at most 500 others. */
function clean(description: string | null | undefined): string {
  const text = (description ?? '').replaceAll(/[\p{C}\p{Z}\p{Variation_Selector}\s]+/gu, ' ').trim();
  return text.length > 500 ? `${text.slice(0, 499)}…` : text;
}
