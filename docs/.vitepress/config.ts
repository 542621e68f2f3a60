/** The documentation site: the pages of docs/ as they are. `npm run site` builds it into `docs/.vitepress/dist`. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { defineConfig } from 'vitepress';
import type { DefaultTheme } from 'vitepress';

const root = join(import.meta.dirname, '../..');
const { description, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly description: string;
  readonly repository?: { readonly url: string };
};
/** Undefined until package.json names the repository (RELEASING.md). */
const repositoryUrl = repository?.url.replace(/^git\+|\.git$/g, '');

export default defineConfig({
  title: 'graphql-functions',
  description,
  lang: 'en-US',
  cleanUrls: true,
  lastUpdated: false,
  srcExclude: ['node_modules/**'],
  rewrites: { 'README.md': 'index.md' },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
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
            if (href === '' || /^(?:[a-z]+:|#|\/)/.test(href) || path.startsWith('docs/')) continue;
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
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Configuration', link: '/configuration' },
      { text: 'Playground', link: '/playground/', target: '_self' },
    ],
    sidebar: readSidebar(),
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
