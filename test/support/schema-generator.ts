import { createRandom } from './random.ts';
import type { Random } from './random.ts';

/** The size of a generated schema, and the seed that selects one of that size. */
export interface GeneratedSchemaOptions {
  /** The approximate number of types. */
  readonly types: number;
  /** Default: 1. */
  readonly seed?: number;
  /** The share of definitions and members that are described. Default: 0.65. */
  readonly described?: number;
}

/**
 * The text of a valid schema of this size. It has objects, interfaces, unions, enums, input types and scalars, arguments, default values
 * and deprecations, descriptions for the share `described` of definitions, and a Query type with a field for every second type. The text
 * has about 8 KB for 10 types, 270 KB for 300, and 2.7 MB for 3,000.
 */
export function generateSchema({ types, seed = 1, described = 0.65 }: GeneratedSchemaOptions): string {
  const random: Choices = { ...createRandom(seed), described };
  const names = namesFor(Math.max(10, types), random);
  return [
    ...names.scalars.map(
      (name) => `${describe(random, 0)}scalar ${name}${random.chance(0.5) ? ' @specifiedBy(url: "https://example.com/")' : ''}`,
    ),
    ...names.enums.map((name) => enumText(name, random)),
    ...names.interfaces.map((name, number) => `${describe(random, 0)}interface ${name} {\n${interfaceFields(number)}}`),
    ...names.inputs.map((name, number) => inputText(name, number, names, random)),
    ...names.objects.map((name) => objectText(name, names, random)),
    ...names.unions.map((name) => unionText(name, names, random)),
    rootText('Query', names, Math.max(7, Math.floor(types / 2.02)), random),
    rootText('Mutation', names, Math.max(2, Math.floor(types / 20)), random),
  ].join('\n\n');
}

interface Choices extends Random {
  readonly described: number;
}

interface Names {
  readonly scalars: readonly string[];
  readonly enums: readonly string[];
  readonly interfaces: readonly string[];
  readonly inputs: readonly string[];
  readonly objects: readonly string[];
  readonly unions: readonly string[];
}

const words =
  'Account Address Author Book Cart Category Customer Event Invoice Label Library Order Payment Person Place Product Review Shipment Stock Ticket'.split(
    ' ',
  );

function namesFor(types: number, random: Choices): Names {
  const named = (share: number, suffix: string): string[] =>
    Array.from({ length: Math.max(1, Math.round(types * share)) }, (_, number) => `${random.pick(words)}${suffix}${number}`);
  return {
    scalars: named(0.01, 'Scalar'),
    enums: named(0.1, 'Kind'),
    interfaces: named(0.04, 'Node'),
    inputs: named(0.2, 'Input'),
    objects: named(0.6, ''),
    unions: named(0.04, 'Result'),
  };
}

/** Returns a description in one of the forms of the language, or nothing for some elements: `described` is the share that has one. */
function describe(random: Choices, indent: number): string {
  if (!random.chance(random.described)) return '';
  const margin = ' '.repeat(indent);
  const sentence = sentenceOf(random);
  if (random.chance(0.4)) return `${margin}"${sentence}"\n`;
  return `${margin}"""\n${margin}${sentence}\n${random.chance(0.3) ? `\n${margin}  - "${sentenceOf(random)}" { see: type }\n` : ''}${margin}"""\n`;
}

function sentenceOf(random: Choices): string {
  const length = 5 + random.below(10);
  return `${Array.from({ length }, () => random.pick(words).toLowerCase()).join(' ')}.`;
}

function enumText(name: string, random: Choices): string {
  const values = Array.from(
    { length: 3 + random.below(5) },
    (_, number) => `${describe(random, 2)}  VALUE_${number}${deprecation(random)}\n`,
  );
  return `${describe(random, 0)}enum ${name} {\n${values.join('')}}`;
}

function deprecation(random: Choices): string {
  if (!random.chance(0.05)) return '';
  return random.chance(0.5) ? ' @deprecated' : ' @deprecated(reason: "Not for new code (see the }).")';
}

function interfaceFields(number: number): string {
  return `  id: ID!\n  label${number}(first: Int = 10): String\n`;
}

function inputText(name: string, number: number, names: Names, random: Choices): string {
  // Only earlier input types, so that no input type requires itself.
  const inputs = names.inputs.slice(0, number);
  const fields = Array.from(
    { length: 4 + random.below(8) },
    (_, field) => `${describe(random, 2)}  field${field}: ${inputType(inputs, names, random)}\n`,
  );
  return `${describe(random, 0)}input ${name} {\n${fields.join('')}}`;
}

const literals: readonly (readonly [type: string, literal: string])[] = [
  ['Int', '7'],
  ['Float', '-1.5e3'],
  ['Boolean', 'true'],
  ['String', '"a \\"quoted\\" } word"'],
  ['ID', '"x:1"'],
  ['[Int!]', '[1, 2, 3]'],
  ['[String]', '["#", null]'],
];

/** A type, sometimes with a default value that fits it. */
function inputType(inputs: readonly string[], names: Names, random: Choices): string {
  if (inputs.length > 0 && random.chance(0.2)) return `${random.pick(inputs)}${random.chance(0.3) ? ' = {}' : ''}`;
  if (random.chance(0.2)) return `${random.pick(names.enums)} = VALUE_1`;
  const [type, literal] = random.pick(literals);
  return random.chance(0.4) ? `${type} = ${literal}` : type;
}

function objectText(name: string, names: Names, random: Choices): string {
  const implemented = random.chance(0.5) ? [random.below(names.interfaces.length)] : [];
  const heading = implemented.map((number) => ` implements ${names.interfaces[number]}`).join('');
  const inherited = implemented.map(interfaceFields).join('');
  const fields = Array.from({ length: 5 + random.below(9) }, (_, number) => fieldText(`field${number}`, names, random));
  return `${describe(random, 0)}type ${name}${heading} {\n${inherited}${fields.join('')}}`;
}

function fieldText(name: string, names: Names, random: Choices): string {
  const args = random.chance(0.3) ? `(first: Int = 20, filter: ${random.pick(names.inputs)}, kind: ${inputType([], names, random)})` : '';
  return `${describe(random, 2)}  ${name}${args}: ${outputType(names, random)}${deprecation(random)}\n`;
}

function outputType(names: Names, random: Choices): string {
  const kind = random.pick(['scalar', 'scalar', 'scalar', 'enum', 'object', 'object', 'abstract'] as const);
  const named = {
    scalar: () => random.pick(['ID', 'String', 'Int', 'Float', 'Boolean', ...names.scalars]),
    enum: () => random.pick(names.enums),
    object: () => random.pick(names.objects),
    abstract: () => random.pick([...names.interfaces, ...names.unions]),
  }[kind]();
  return random.pick([named, named, `${named}!`, `[${named}]`, `[${named}!]!`]);
}

function unionText(name: string, names: Names, random: Choices): string {
  const members = new Set(Array.from({ length: 2 + random.below(3) }, () => random.pick(names.objects)));
  return `${describe(random, 0)}union ${name} = ${[...members].join(' | ')}`;
}

function rootText(name: string, names: Names, fields: number, random: Choices): string {
  const texts = Array.from({ length: fields }, (_, number) => fieldText(`${name.toLowerCase()}${number}`, names, random));
  return `"Where every ${name.toLowerCase()} starts."\ntype ${name} {\n${texts.join('')}}`;
}
