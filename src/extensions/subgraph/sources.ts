import type { ASTNode, ConstDirectiveNode, DocumentNode } from 'graphql';

import { definitionsIn, definitionsOf, describeIn, isParsed } from '../../executor/schema/index.ts';
import type { FoundDefinition, Span } from '../../executor/schema/index.ts';

/** A definition or extension in the author's typeDefs. */
export interface Definition {
  readonly found: FoundDefinition;
  readonly source: string | DocumentNode;
  /** The name of the source in messages: `typeDefs`, or `typeDefs[1]`. */
  readonly sourceName: string;
}

/** All definitions, found without parsing where that is possible. */
export function findDefinitions(sources: readonly (string | DocumentNode)[]): Definition[] {
  const count = sources.length;
  return sources.flatMap((source, number) => {
    const found = typeof source === 'string' ? definitionsIn(source, { number, count, offset: 0 }) : definitionsOf(source);
    const sourceName = count > 1 ? `typeDefs[${number}]` : 'typeDefs';
    return found.map((one) => ({ found: one, source, sourceName }));
  });
}

/** The text of a definition. Undefined for one that is parsed. */
export function textOfSource({ found, source }: Definition): string | undefined {
  return typeof source !== 'string' || isParsed(found.at) ? undefined : source.slice(...(found.at as Span));
}

/** True if the definition itself has the directive; its fields do not count. */
export function hasDirective(definition: Definition, name: string): boolean {
  if (definition.found.bare) return false;
  const text = textOfSource(definition);
  if (text !== undefined) return headPattern(name).test(text);
  const { directives = [] } = definition.found.at as { readonly directives?: readonly ConstDirectiveNode[] };
  return directives.some((directive) => directive.name.value === name);
}

const string = String.raw`"""[^"\\]*(?:(?:\\"""|\\(?!""")|"(?!""))[^"\\]*)*"""|"(?!"")[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"`;
/** Up to the end of the line: a shorter match would read the rest. */
const comment = String.raw`#[^\n\r]*(?![^\n\r])`;

const headPatterns = new Map<string, RegExp>();

/** A definition up to the directive, without its fields, and without strings, comments and arguments. Each alternative starts differently. */
function headPattern(name: string): RegExp {
  const known = headPatterns.get(name);
  if (known !== undefined) return known;
  const use = String.raw`@[\s,\uFEFF]*${name}(?!\w)`;
  const pattern = new RegExp(`^(?:${string}|${comment}|\\((?:${string}|${comment}|[^)"#])*\\)|(?!${use})[^"#({])*${use}`);
  headPatterns.set(name, pattern);
  return pattern;
}

/** A directive that is used, and where. */
interface DirectiveUse {
  readonly name: string;
  /** An index in the text of its source; undefined in documents. */
  readonly at: number | undefined;
}

/** The first directive whose name is not known, with its place in words. */
export function findUnknownDirective(
  definitions: readonly Definition[],
  isKnown: (name: string) => boolean,
): { readonly name: string; readonly place: string } | undefined {
  const bySource = new Map(definitions.map((definition) => [definition.source, definition]));
  for (const [source, { sourceName }] of bySource) {
    const uses = typeof source === 'string' ? usesInText(source, isKnown) : usesIn(source.definitions);
    for (const { name, at } of uses) {
      if (isKnown(name)) continue;
      return { name, place: at === undefined ? '' : `\n\n${describeIn(source as string, at, sourceName)}` };
    }
  }
  return undefined;
}

/** Looks for strings and comments only if a name is not known: most often, none is. */
function* usesInText(text: string, isKnown: (name: string) => boolean): Generator<DirectiveUse> {
  const names = new Set(Array.from(text.matchAll(/@[\s,\uFEFF]*(\w+)/g), ([, name]) => name!));
  if ([...names].every(isKnown)) return;
  for (const { 1: name, index } of text.matchAll(new RegExp(`${string}|${comment}|@[\\s,\\uFEFF]*(\\w+)`, 'g')))
    if (name !== undefined) yield { name, at: index };
}

interface Annotated {
  readonly directives?: readonly ConstDirectiveNode[];
  readonly fields?: readonly ASTNode[];
  readonly values?: readonly ASTNode[];
  readonly arguments?: readonly ASTNode[];
}

function* usesIn(nodes: readonly ASTNode[] = []): Generator<DirectiveUse> {
  for (const node of nodes as readonly Annotated[]) {
    for (const { name } of node.directives ?? []) yield { name: name.value, at: undefined };
    yield* usesIn(node.fields);
    yield* usesIn(node.values);
    yield* usesIn(node.arguments);
  }
}

/** An Error about a node of a definition that was parsed alone. Names its line. */
export function errorAt(definition: Definition, node: ASTNode, message: string): Error {
  const { found, source, sourceName } = definition;
  if (node.loc === undefined || typeof source !== 'string') return new Error(message);
  const start = isParsed(found.at) ? 0 : found.at[0];
  return new Error(`${message}\n\n${describeIn(source, start + node.loc.start, sourceName)}`);
}
