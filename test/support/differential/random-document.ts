import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isUnionType,
} from 'graphql';
import type { GraphQLArgument, GraphQLField, GraphQLInputType, GraphQLNamedType, GraphQLSchema } from 'graphql';

import type { Random } from '../random.ts';

/** A document with one operation, and the variables to run it with: some missing, some wrong. */
export interface RandomDocument {
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A random operation on the schema. Most are valid. */
export function randomDocument(random: Random, schema: GraphQLSchema): RandomDocument {
  return new Writer(random, schema).write();
}

class Writer {
  readonly #random: Random;
  readonly #schema: GraphQLSchema;
  readonly #definitions = new Map<string, string>();
  readonly #variables: Record<string, unknown> = {};
  readonly #fragments: string[] = [];
  #budget = 60;

  constructor(random: Random, schema: GraphQLSchema) {
    this.#random = random;
    this.#schema = schema;
  }

  write(): RandomDocument {
    const isMutation = this.#random.chance(0.2);
    const root = isMutation ? this.#schema.getMutationType() : this.#schema.getQueryType();
    const body = this.#selectionSet(root as GraphQLNamedType, 4);
    const definitions = [...this.#definitions].map(([name, type]) => `$${name}: ${type}`).join(', ');
    const head = `${isMutation ? 'mutation' : 'query'} Test${definitions === '' ? '' : `(${definitions})`}`;
    return { text: [`${head} ${body}`, ...this.#fragments].join('\n'), variables: this.#variables };
  }

  #selectionSet(type: GraphQLNamedType, depth: number): string {
    const count = 1 + this.#random.below(4);
    const selections = Array.from({ length: count }, () => this.#selection(type, depth)).filter((text) => text !== '');
    return `{ ${selections.length === 0 ? '__typename' : selections.join(' ')} }`;
  }

  #selection(type: GraphQLNamedType, depth: number): string {
    this.#budget--;
    const random = this.#random;
    if (depth > 0 && random.chance(0.15)) {
      const condition = random.chance(0.3) ? undefined : this.#overlapping(type);
      const head = `... ${condition ? `on ${condition.name} ` : ''}${this.#conditions()}`.trimEnd();
      return `${head} ${this.#selectionSet(condition ?? type, depth - 1)}`;
    }
    if (depth > 0 && random.chance(0.1)) return this.#spread(type, depth);
    if (isUnionType(type) || random.chance(0.12)) return `__typename${this.#conditions()}`;
    if (!isObjectType(type) && !isInterfaceType(type)) return '';
    return this.#field(random.pick(Object.values(type.getFields())), depth);
  }

  #overlapping(type: GraphQLNamedType): GraphQLNamedType {
    const candidates: GraphQLNamedType[] = [type];
    if (isAbstractType(type)) candidates.push(...this.#schema.getPossibleTypes(type));
    if (isObjectType(type)) candidates.push(...type.getInterfaces());
    return this.#random.pick(candidates);
  }

  #spread(type: GraphQLNamedType, depth: number): string {
    const name = `Part${this.#fragments.length}`;
    const at = this.#fragments.push('') - 1;
    const condition = this.#overlapping(type);
    this.#fragments[at] = `fragment ${name} on ${condition.name} ${this.#selectionSet(condition, depth - 1)}`;
    const spread = `...${name}${this.#conditions()}`;
    return this.#random.chance(0.3) ? `${spread} ...${name}` : spread;
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const named = getNamedType(field.type);
    const isComposite = isCompositeType(named);
    if (isComposite && (depth === 0 || this.#budget < 0)) return '';
    const alias = this.#random.chance(0.3) ? `a${this.#random.below(20)}${field.name}: ` : '';
    const body = isComposite ? ` ${this.#selectionSet(named, depth - 1)}` : '';
    return `${alias}${field.name}${this.#arguments(field)}${this.#conditions()}${body}`;
  }

  #arguments(field: GraphQLField<unknown, unknown>): string {
    const given = field.args.filter((argument) => isRequired(argument) || this.#random.chance(0.6));
    if (given.length === 0) return '';
    return `(${given.map((argument) => `${argument.name}: ${this.#value(argument.type, argument.defaultValue !== undefined)}`).join(', ')})`;
  }

  #value(type: GraphQLInputType, hasDefault: boolean): string {
    const random = this.#random;
    if (random.chance(0.35)) return this.#variable(type, hasDefault);
    if (isNonNullType(type)) return this.#literal(type.ofType);
    return random.chance(0.1) ? 'null' : this.#literal(type);
  }

  #literal(type: GraphQLInputType): string {
    const random = this.#random;
    if (isListType(type))
      return random.chance(0.2)
        ? this.#value(type.ofType, false)
        : `[${Array.from({ length: random.below(3) }, () => this.#value(type.ofType, false)).join(', ')}]`;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((field) => isRequiredInputField(field) || random.chance(0.6));
      return `{ ${fields.map((field) => `${field.name}: ${this.#value(field.type, field.defaultValue !== undefined)}`).join(', ')} }`;
    }
    if (isEnumType(type)) return random.pick(type.getValues()).name;
    const scalar = getNamedType(type).name;
    if (scalar === 'Int') return String(random.below(50));
    if (scalar === 'Float') return random.pick(['1.5', '2', '-3e2']);
    if (scalar === 'Boolean') return String(random.chance(0.5));
    return scalar === 'ID' && random.chance(0.5) ? String(random.below(9)) : `"s${random.below(9)}"`;
  }

  /** A variable of this type: nullable where a default makes that valid, sometimes with a default, with or without a value. */
  #variable(type: GraphQLInputType, hasDefault: boolean): string {
    const random = this.#random;
    const name = `v${this.#definitions.size}`;
    const nullable = isNonNullType(type) ? type.ofType : type;
    const hasOwnDefault = random.chance(0.25);
    const isNullable = !isNonNullType(type) || ((hasDefault || hasOwnDefault) && random.chance(0.5));
    const definition = String(isNullable ? nullable : type);
    this.#definitions.set(name, hasOwnDefault ? `${definition} = ${this.#constant(nullable)}` : definition);
    if (random.chance(0.75) || !isNullable)
      this.#variables[name] = random.chance(0.1) ? random.pick<unknown>([null, 'wrong', 1.5, []]) : this.#input(nullable);
    return `$${name}`;
  }

  /** A literal without variables. */
  #constant(type: GraphQLInputType): string {
    if (isListType(type)) return '[]';
    if (isInputObjectType(type)) return type.name === 'Strict' ? '{ need: 1 }' : '{ }';
    return this.#literal(type);
  }

  #input(type: GraphQLInputType): unknown {
    const random = this.#random;
    if (isNonNullType(type)) return this.#input(type.ofType);
    if (isListType(type)) return Array.from({ length: random.below(3) }, () => this.#input(type.ofType));
    if (isInputObjectType(type))
      return Object.fromEntries(
        Object.values(type.getFields()).flatMap((field) =>
          isRequiredInputField(field) || random.chance(0.5) ? [[field.name, this.#input(field.type)]] : [],
        ),
      );
    if (isEnumType(type)) return random.pick(type.getValues()).name;
    const scalar = type.name;
    if (scalar === 'Int' || scalar === 'Float') return random.below(50);
    return scalar === 'Boolean' ? random.chance(0.5) : `s${random.below(9)}`;
  }

  #conditions(): string {
    const random = this.#random;
    if (!random.chance(0.12)) return '';
    const condition = (): string => (random.chance(0.5) ? String(random.chance(0.5)) : this.#conditionVariable());
    const skip = random.chance(0.5) ? ` @skip(if: ${condition()})` : '';
    return `${skip}${skip === '' || random.chance(0.3) ? ` @include(if: ${condition()})` : ''}`;
  }

  #conditionVariable(): string {
    const name = `c${this.#random.below(3)}`;
    if (!this.#definitions.has(name)) {
      const type = this.#random.pick(['Boolean!', 'Boolean! = true', 'Boolean = false']);
      this.#definitions.set(name, type);
      if (type === 'Boolean!' || this.#random.chance(0.5))
        this.#variables[name] = this.#random.chance(0.03) ? null : this.#random.chance(0.5);
    }
    return `$${name}`;
  }
}

function isRequired(argument: GraphQLArgument): boolean {
  return isNonNullType(argument.type) && argument.defaultValue === undefined;
}
