/** A fenced code block of a Markdown page. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  /** The line of the page on which its code begins, counted from 1. */
  readonly line: number;
  /** The values of HTML comments directly above it, by name: `<!-- file: schema.ts -->`. */
  readonly notes: Readonly<Record<string, string>>;
}

/** The code blocks of a page, in order. */
export function codeBlocks(page: string): CodeBlock[] {
  return [...page.matchAll(/((?:^<!--[^>]*-->\n+)*)^```(\w+)\n([^]*?)^```$/gm)].map((match) => {
    const [whole, comments = '', language = '', text = ''] = match;
    const line = lineAt(page, match.index + whole.length - text.length - '```'.length);
    return { language, text, line, notes: notesIn(comments) };
  });
}

/** The targets of a page's links: in text, in images, and by reference. Code is ignored. */
export function linksOf(page: string): string[] {
  const prose = withoutCode(page);
  const inline = [...prose.matchAll(/\]\(([^)\s]+)\)/g)];
  const references = [...prose.matchAll(/^\[[^\]]+\]: (\S+)$/gm)];
  return [...inline, ...references].map(([, target = '']) => target);
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(page: string): string[] {
  return [...withoutCode(page, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function notesIn(comments: string): Record<string, string> {
  const notes = [...comments.matchAll(/<!-- ([^:]+?)(?:: (.*?))? -->/g)];
  return Object.fromEntries(notes.map(([, name = '', value = '']) => [name, value]));
}

function lineAt(page: string, offset: number): number {
  return page.slice(0, offset).split('\n').length;
}

/** Removes blocks of code, and code spans in the text if `spans` is true. */
function withoutCode(page: string, spans?: string): string {
  const text = page.replaceAll(/^```[^]*?^```$/gm, '');
  return spans === undefined ? text.replaceAll(/`[^`\n]*`/g, '') : text;
}
