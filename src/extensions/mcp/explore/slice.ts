import { getNamedType, isEnumType, isInputObjectType, isInterfaceType, isRequiredArgument, print } from 'graphql';
import type { GraphQLArgument, GraphQLInputField, GraphQLNamedType, GraphQLType } from 'graphql';

import { wayTo } from './ranking.ts';
import type { Found } from './ranking.ts';
import type { Field, VisibleSchema } from './visible-schema.ts';

/** Characters of a slice with its paths. */
const maxSlice = 8000;
type Member = readonly [type: GraphQLNamedType, name: string, line: string];

/** A part of a schema as SDL, with paths to what was found. It grows as long as there is room. */
export class Slice {
  readonly paths: string[] = [];
  readonly #visible: VisibleSchema;
  readonly #isAllowed: (field: Field) => boolean;
  /** The lines of types. */
  readonly #types = new Map<GraphQLNamedType, Map<string, string>>();
  #left = maxSlice - '\nPaths:\n'.length;

  constructor(visible: VisibleSchema, isAllowed: (field: Field) => boolean) {
    this.#visible = visible;
    this.#isAllowed = isAllowed;
  }

  /** Adds a field, with the fields that lead to it. False: there is no room. */
  add({ from, field }: Found): boolean {
    const way = wayTo(from);
    const members = [
      ...way.flatMap((step) => (step.field === undefined ? [] : [this.#memberOf(step.from.type, step.field)])),
      this.#memberOf(from.type, field, 'described'),
    ];
    const steps = way.map((step) => (step.field === undefined ? `[${step.to.type.name}]` : `.${step.field.name}`));
    const path = `${this.#visible.schema.getQueryType()!.name}${steps.join('')}.${field.name}`;
    if (!this.#fit(members, path.length + 1)) return false;
    this.paths.push(path);
    return true;
  }

  /**
   * Adds other fields of these types, then of those that they return, and so on, without descriptions and optional arguments, until little
   * room is left. If there is room for all, it adds the arguments. `wanted`: their names.
   */
  addAround(types: Set<GraphQLNamedType>, wanted: RegExp = /./): void {
    const around: (readonly [GraphQLNamedType, Field])[] = [];
    for (const type of types)
      for (const field of this.#visible.fieldsOf(type).values()) {
        if (this.#left < 100) return;
        if (!wanted.test(field.name) || !this.#isAllowed(field)) continue;
        this.#fit([this.#memberOf(type, field, 'required')]);
        around.push([type, field]);
        types.add(getNamedType(field.type));
      }
    for (const [type, field] of around) this.#fit([this.#memberOf(type, field)]);
  }

  /** Adds the enums that a field returns, and the types of its arguments. */
  addInputs(field: Field): void {
    for (const { type } of [field, ...this.#visible.argumentsOf(field)]) this.#addInput(getNamedType(type as GraphQLType));
  }

  #addInput(type: GraphQLNamedType): void {
    if (this.#types.has(type)) return;
    const members = this.#visible.membersOf(type);
    this.#fit(members.map((one): Member => [type, one.name, 'type' in one ? inputOf(one) : one.name]));
    if (this.#types.has(type)) for (const one of members) if ('type' in one) this.#addInput(getNamedType(one.type));
  }

  get sdl(): string {
    const sorted = [...this.#types].toSorted(([one], [other]) => (one.name < other.name ? -1 : 1));
    return sorted.map(([type, lines]) => `${headOf(type)}  ${[...lines.values()].join('\n  ')}\n}\n`).join('');
  }

  /** Adds all of it, or nothing if there is no room for it and `also` characters. A line with a description replaces one without. */
  #fit(members: readonly Member[], also = 0): boolean {
    let length = also;
    const heads = new Set<GraphQLNamedType>();
    for (const [type, name, line] of members) {
      const lines = this.#types.get(type);
      if (lines === undefined) heads.add(type);
      length += Math.max(0, line.length - (lines?.get(name)?.length ?? -3));
    }
    for (const type of heads) length += headOf(type).length + 2;
    if (length > this.#left) return false;
    this.#left -= length;
    for (const type of heads) this.#types.set(type, new Map());
    for (const [type, name, line] of members) {
      const lines = this.#types.get(type)!;
      if ((lines.get(name)?.length ?? 0) < line.length) lines.set(name, line);
    }
    return true;
  }

  /** `shows`: `required` arguments alone, or a field that is `described`. */
  #memberOf(of: GraphQLNamedType, field: Field, shows?: 'required' | 'described'): Member {
    const { name, type, description, deprecationReason } = field;
    const args = this.#visible.argumentsOf(field).filter((one) => shows !== 'required' || isRequiredArgument(one));
    const line = `${name}${args.length === 0 ? '' : `(${args.map(inputOf).join(', ')})`}: ${String(type)}${deprecationReason == null ? '' : ' @deprecated'}`;
    const text = shows === 'described' ? clean(description ?? '') : '';
    return [of, name, text === '' ? line : `${JSON.stringify(text)}\n  ${line}`];
  }
}

function inputOf({ name, type, astNode }: GraphQLArgument | GraphQLInputField): string {
  const value = astNode?.defaultValue;
  // Values of enums may be hidden.
  const isShown = value !== undefined && /^(?:Int|Float|String|Boolean)Value$/.test(value.kind);
  return `${name}: ${String(type)}${isShown ? ` = ${print(value)}` : ''}`;
}

function headOf(type: GraphQLNamedType): string {
  const kind = isEnumType(type) ? 'enum' : isInputObjectType(type) ? 'input' : isInterfaceType(type) ? 'interface' : 'type';
  return `${kind} ${type.name} {\n`;
}

/** Models read descriptions as part of their prompt: without characters that people cannot see, and at most 500 others. */
function clean(description: string): string {
  const text = description.replaceAll(/[\p{C}\p{Z}\p{Variation_Selector}\s]+/gu, ' ').trim();
  return text.length > 500 ? `${text.slice(0, 499)}…` : text;
}
