import { parse } from 'graphql';
import type { DefinitionNode, DocumentNode } from 'graphql';

/**
 * Parses a template to a document, as graphql-tag does. Other documents may be put into the template: their text stands
 * there then. Throws a syntax error of graphql-js.
 */
export function gql(template: TemplateStringsArray | readonly string[] | string, ...substitutions: readonly any[]): DocumentNode {
  const strings = typeof template === 'string' ? [template] : template;
  const text = strings.map((part, at) => part + (at < substitutions.length ? textOf(substitutions[at]) : '')).join('');
  const parsed = parse(text);
  return { ...parsed, definitions: withoutRepetitions(parsed.definitions) };
}

function textOf(value: any): string {
  return value?.kind === 'Document' ? (value.loc?.source.body ?? '') : String(value);
}

/** A fragment that comes with two parts of a template is kept once. */
function withoutRepetitions(definitions: readonly DefinitionNode[]): readonly DefinitionNode[] {
  const seen = new Set<string>();
  return definitions.filter((definition) => {
    if (definition.kind !== 'FragmentDefinition') return true;
    const { name, loc } = definition;
    const text = `${name.value} ${loc?.source.body.slice(loc.start, loc.end).replaceAll(/[\s,]+/g, ' ')}`;
    return seen.has(text) ? false : seen.add(text) !== undefined;
  });
}
