import { positionAt } from '../../../checks/for-cli.ts';
import type { DocumentFile } from './check-documents.ts';

/** gql`…`, graphql`…`, graphql(`…`), and literals after a GraphQL comment. */
const literal =
  /(?:\b(?:gql|graphql)\s*(?:<[^`]*?>)?\s*\(?\s*(?:\/\*\s*GraphQL\s*\*\/\s*)?|\/\*\s*GraphQL\s*\*\/\s*)`((?:[^`\\]|\\[^])*)`/dg;

/** The start of a commented-out line. */
const comment = /^\s*(?:\/\/|\*)/;

/**
 * The documents of a file: its whole text, or one per literal in source code. The text around a literal becomes blanks, so that
 * places stay the same. `${Fragment}` becomes blanks too, because fragments are found by name; any other value is a problem.
 */
export function documentsIn({ path, text }: DocumentFile): DocumentFile[] {
  if (!isCode(path)) return [{ path, text }];
  return [...text.matchAll(literal)].flatMap(({ 1: content = '', index, indices }) => {
    if (comment.test(text.slice(text.lastIndexOf('\n', index) + 1, index))) return [];
    const [start = 0] = indices?.[1] ?? [];
    const document = blank(text.slice(0, start)) + unescaped(content.replaceAll(interpolation, blank));
    const wrong = [...content.matchAll(interpolation)].find((found) => isInside(content.slice(0, found.index)));
    if (wrong === undefined) return { path, text: document };
    return { path, text: document, problem: { ...positionAt(text, start + wrong.index), file: path, message: notFragment(wrong[0]) } };
  });
}

const interpolation = /\$\{[^}]*\}/g;

/** True in a selection set, a list of arguments or a string, where an interpolation is no fragment. */
function isInside(before: string): boolean {
  const code = before.replaceAll(/\$\{[^}]*\}|"""[^]*?"""|"(?:[^"\\\n]|\\.)*"|#.*/g, '');
  return code.includes('"') || code.split(/[{([]/).length > code.split(/[})\]]/).length;
}

function notFragment(text: string): string {
  return `Expected a fragment after the operation, got ${text}, whose value only the client knows. Write fields in a fragment, and values as variables.`;
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
