/** The documentation site: the pages of docs/ as they are. `npm run site` builds it into `docs/.vitepress/dist`. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { defineConfig } from 'vitepress';
import type { DefaultTheme, HeadConfig } from 'vitepress';

const root = join(import.meta.dirname, '../..');
const { description, homepage, name, repository, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly description: string;
  readonly homepage?: string;
  readonly name: string;
  readonly repository?: { readonly url: string };
  readonly version: string;
};
/** Undefined until package.json names the repository (RELEASING.md). */
const repositoryUrl = repository?.url.replace(/^git\+|\.git$/g, '');

const icon =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#b0217f"/>' +
      '<path d="M9 10h10M9 16h14M9 22h7" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>',
  );

export default defineConfig({
  title: 'graphql-functions',
  description,
  lang: 'en-US',
  cleanUrls: true,
  lastUpdated: false,
  srcExclude: ['node_modules/**'],
  rewrites: { 'README.md': 'documentation.md' },
  head: [['link', { rel: 'icon', href: icon }]],
  // The description of a page is its first paragraph.
  transformPageData(page) {
    page.description = page.relativePath === 'index.md' ? description : readFirstParagraph(page.filePath);
  },
  transformHead({ pageData, title }) {
    const path = pageData.relativePath.replace(/(?:^|(?<=\/))index\.md$|\.md$/, '');
    return [
      ['meta', { property: 'og:title', content: title }],
      ['meta', { property: 'og:description', content: pageData.description }],
      ['meta', { property: 'og:type', content: 'website' }],
      ['meta', { property: 'og:site_name', content: name }],
      ...(homepage === undefined ? [] : [['meta', { property: 'og:url', content: new URL(path, homepage).href }] as HeadConfig]),
    ];
  },
  markdown: {
    // Comments have enough contrast in both.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
    languageAlias: { vcl: 'c' },
    // As on GitHub, where the same pages are read.
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
          .replaceAll(' ', '-'),
    },
    config: (markdown) => {
      // Links to files outside of docs/ lead to the repository. Before it has an address, they are plain text.
      markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
        const page = (env as { readonly relativePath: string }).relativePath;
        for (const { children } of tokens) {
          for (const [at, link] of (children ?? []).entries()) {
            const href = link.type === 'link_open' ? String(link.attrGet('href')) : '';
            const path = posix.normalize(posix.join('docs', posix.dirname(page), href));
            if (href === '' || /^(?:[a-z]+:|#|\/)/.test(href) || /^docs\/(?!examples\/)/.test(path)) continue;
            if (repositoryUrl === undefined) {
              link.tag = 'span';
              link.attrs = null;
              const end = children!.slice(at).find(({ type }) => type === 'link_close');
              if (end) end.tag = 'span';
            } else {
              link.attrSet('href', `${repositoryUrl}/blob/main/${path}`);
            }
          }
        }
      });
    },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // The list of all pages has every word.
        _render: (text, env, markdown) => (env.relativePath === 'README.md' ? '' : markdown.render(text, env)),
        miniSearch: { searchOptions: { boost: { title: 6, text: 1, titles: 3 }, fuzzy: 0.1 } },
      },
    },
    outline: [2, 3],
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Documentation', link: '/documentation' },
      { text: 'Playground', link: '/playground/', target: '_self' },
      // RELEASING.md: package.json names the repository from the first release on.
      repositoryUrl === undefined
        ? { text: version, link: '/documentation' }
        : { text: version, link: `https://www.npmjs.com/package/${name}` },
    ],
    sidebar: readSidebar(),
    footer: { message: 'Released under the MIT License.' },
    ...(repositoryUrl !== undefined && { socialLinks: [{ icon: 'github', link: repositoryUrl }] }),
  },
});

/** The groups of docs/README.md: a line that ends with a colon, and the list of pages below it. */
function readSidebar(): DefaultTheme.SidebarItem[] {
  const groups: DefaultTheme.SidebarItem[] = [];
  for (const line of readFileSync(join(root, 'docs/README.md'), 'utf8').split('\n')) {
    const [, text, page] = /^- \[([^\]]+)\]\(([\w-]+)\.md\)/.exec(line) ?? [];
    if (text !== undefined) groups.at(-1)?.items?.push({ text, link: `/${page}` });
    else if (/^[^-!].*:$/.test(line)) groups.push({ text: line.slice(0, -1), items: [] });
  }
  return groups.filter(({ items }) => items!.length > 0);
}

function readFirstParagraph(path: string): string {
  const [, paragraph = ''] = /^# .*\n\n([^\n]+)/m.exec(readFileSync(join(root, 'docs', path), 'utf8')) ?? [];
  return paragraph
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/[`*_]/g, '')
    .slice(0, 200);
}
