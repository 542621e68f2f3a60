import type { DocumentFile } from './check-documents.ts';

/** gql`…`, graphql`…`, graphql(`…`), and literals behind a comment that editors know. */
const literal =
  /(?:\b(?:gql|graphql)\s*(?:<[^`]*?>)?\s*\(?\s*(?:\/\*\s*GraphQL\s*\*\/\s*)?|\/\*\s*GraphQL\s*\*\/\s*)`((?:[^`\\]|\\[^])*)`/dg;

/** The beginning of a line on which a literal is commented out. */
const comment = /^\s*(?:\/\/|\*)/;

/**
 * The documents of a file: the file itself, or one in each literal of its code. The text around a literal becomes blanks, so that
 * every place stays the same, and so does `${Fragment}`, because fragments are found by their names.
 */
export function documentsIn({ path, text }: DocumentFile): DocumentFile[] {
  if (!isCode(path)) return [{ path, text }];
  return [...text.matchAll(literal)].flatMap(({ 1: content = '', index, indices }) => {
    if (comment.test(text.slice(text.lastIndexOf('\n', index) + 1, index))) return [];
    const [start = 0] = indices?.[1] ?? [];
    return { path, text: blank(text.slice(0, start)) + unescaped(content.replaceAll(/\$\{[^}]*\}/g, blank)) };
  });
}

/** True when a file holds its documents in literals. */
export function isCode(path: string): boolean {
  return /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/.test(path);
}

/** Removes the escapes that a template literal needs, and that GraphQL does not have. */
function unescaped(content: string): string {
  return content.replaceAll(/\\(?=[`$])/g, ' ');
}

function blank(text: string): string {
  return text.replaceAll(/[^\n\r]/g, ' ');
}
