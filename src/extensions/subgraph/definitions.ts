/** The newest version of Apollo Federation 2 whose directives are known: v2.15 (2026). */
export const newestMinor = 15;

/** A directive or scalar of Apollo Federation 2. */
export interface LinkedDefinition {
  /** The name in the specification; the names of directives start with `@`. */
  readonly name: string;
  /** Writes the definition with the names of this schema. */
  readonly write: (localName: (name: string) => string) => string;
}

const S5 = 'FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM';
const T9 = 'FIELD_DEFINITION | INTERFACE | OBJECT | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE';
const T10 = `${T9} | INPUT_OBJECT | INPUT_FIELD_DEFINITION`;
const costs = 'ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR';

/** The minor version that introduced each definition, then the definition. Of two with the same name, the later one replaces the earlier. */
const versions: readonly (readonly [since: number, name: string, rest: string])[] = [
  [0, '@key', '(fields: FieldSet!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE'],
  [0, '@requires', '(fields: FieldSet!) on FIELD_DEFINITION'],
  [0, '@provides', '(fields: FieldSet!) on FIELD_DEFINITION'],
  [0, '@external', '(reason: String) on OBJECT | FIELD_DEFINITION'],
  [0, '@extends', ' on OBJECT | INTERFACE'],
  [0, '@shareable', ' on OBJECT | FIELD_DEFINITION'],
  [2, '@shareable', ' repeatable on OBJECT | FIELD_DEFINITION'],
  [0, '@inaccessible', ` on ${T10}`],
  [0, '@tag', `(name: String!) repeatable on ${T10}`],
  [3, '@tag', `(name: String!) repeatable on ${T10} | SCHEMA`],
  [0, '@override', '(from: String!) on FIELD_DEFINITION'],
  [7, '@override', '(from: String!, label: String) on FIELD_DEFINITION'],
  [1, '@composeDirective', '(name: String) repeatable on SCHEMA'],
  [3, '@interfaceObject', ' on OBJECT'],
  [5, '@authenticated', ` on ${S5}`],
  [5, '@requiresScopes', `(scopes: [[Scope!]!]!) on ${S5}`],
  [6, '@policy', `(policies: [[Policy!]!]!) on ${S5}`],
  [8, '@context', '(name: String!) repeatable on INTERFACE | OBJECT | UNION'],
  [8, '@fromContext', '(field: ContextFieldValue) on ARGUMENT_DEFINITION'],
  [9, '@cost', `(weight: Int!) on ${costs}`],
  [
    9,
    '@listSize',
    '(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION',
  ],
  [12, '@cacheTag', '(format: String!) repeatable on OBJECT | FIELD_DEFINITION'],
  [0, 'FieldSet', ''],
  [5, 'Scope', ''],
  [6, 'Policy', ''],
  [8, 'ContextFieldValue', ''],
];

/** The definitions of version 2.`minor`, by name. */
export function federation2(minor: number): ReadonlyMap<string, LinkedDefinition> {
  const known = versions.filter(([since]) => since <= minor);
  return new Map(known.map(([, name, rest]) => [name, linked(name, rest)]));
}

const namesOfVersion1 = /^(?:@(?:key|requires|provides|external|extends|tag)|FieldSet)$/;

/** The definitions of federation 1, which has no links, in the forms of 2.0, which allow a little more. */
export function federation1(): readonly LinkedDefinition[] {
  return [...federation2(0).values()].filter(({ name }) => namesOfVersion1.test(name));
}

/** The definitions of the link specification, v1.0. */
export const linkDefinitions: readonly LinkedDefinition[] = [
  linked('@link', '(url: String, as: String, for: Purpose, import: [Import]) repeatable on SCHEMA'),
  linked('Import', ''),
  { name: 'Purpose', write: (local) => `enum ${local('Purpose')} { SECURITY EXECUTION }` },
];

function linked(name: string, rest: string): LinkedDefinition {
  const write: LinkedDefinition['write'] = (local) =>
    name.startsWith('@')
      ? `directive ${local(name)}${rest.replaceAll(/\b(?:FieldSet|Scope|Policy|ContextFieldValue|Purpose|Import)\b/g, local)}`
      : `scalar ${local(name)}`;
  return { name, write };
}
