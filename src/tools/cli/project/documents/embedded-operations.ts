import type { DocumentFile } from './check-documents.ts';

/** gql`…`, graphql`…`, graphql(`…`), and literals after a GraphQL comment. */
const literal =
  /(?:\b(?:gql|graphql)\s*(?:<[^`]*?>)?\s*\(?\s*(?:\/\*\s*GraphQL\s*\*\/\s*)?|\/\*\s*GraphQL\s*\*\/\s*)`((?:[^`\\]|\\[^])*)`/dg;

/** The start of a commented-out line. */
const comment = /^\s*(?:\/\/|\*)/;

/**
 * The documents of a file: its whole text, or one per literal in source code. The text around a literal becomes blanks, so that
 * places stay the same. `${Fragment}` becomes blanks too, because fragments are found by name.
 */
export function documentsIn({ path, text }: DocumentFile): DocumentFile[] {
  if (!isCode(path)) return [{ path, text }];
  return [...text.matchAll(literal)].flatMap(({ 1: content = '', index, indices }) => {
    if (comment.test(text.slice(text.lastIndexOf('\n', index) + 1, index))) return [];
    const [start = 0] = indices?.[1] ?? [];
    return { path, text: blank(text.slice(0, start)) + unescaped(content.replaceAll(/\$\{[^}]*\}/g, blank)) };
  });
}

/** True for source code, which has documents in literals. */
function isCode(path: string): boolean {
  return /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/.test(path);
}

/** Removes the escapes of template literals. */
function unescaped(content: string): string {
  return content.replaceAll(/\\(?=[`$])/g, ' ');
}

function blank(text: string): string {
  return text.replaceAll(/[^\n\r]/g, ' ');
}
