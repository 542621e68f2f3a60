import type { DocumentFile } from './check-documents.ts';

/** gql`…`, graphql`…`, graphql(`…`) and with a comment that editors know. */
const literal =
  /(?:\b(?:gql|graphql)\s*(?:<[^`]*?>)?\s*\(?\s*(?:\/\*\s*GraphQL\s*\*\/\s*)?|\/\*\s*GraphQL\s*\*\/\s*)`((?:[^`\\]|\\[^])*)`/dg;

/**
 * The documents of a file: it is one itself, or code with one in each of its literals. All around a literal becomes
 * blanks, so that every place stays where it is; `${Fragment}` too, for fragments are known by their names.
 */
export function documentsIn({ path, text }: DocumentFile): DocumentFile[] {
  if (!/\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/.test(path)) return [{ path, text }];
  return [...text.matchAll(literal)].map(({ 1: content = '', indices }) => {
    const [start = 0] = indices?.[1] ?? [];
    return { path, text: blank(text.slice(0, start)) + content.replaceAll(/\$\{[^}]*\}/g, blank) };
  });
}

function blank(text: string): string {
  return text.replaceAll(/[^\n\r]/g, ' ');
}
