/**
 * Prepares a fresh checkout for `npm publish`; .github/workflows/release.yml runs it. Fails if the tag, package.json and CHANGELOG.md do
 * not agree, or if package.json does not name the repository.
 *
 *     node scripts/release.ts v1.0.0
 *     node scripts/release.ts --prepared
 *
 * The second form, which npm runs before it publishes a folder, fails if the checkout has not been prepared.
 *
 * Makes the links and pictures of README.md and of the release notes absolute, because npm and GitHub show them outside of the
 * repository. Writes release-notes.md and release-tag.txt, npm's dist-tag.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part of package.json that a release needs. */
export interface Manifest {
  readonly version: string;
  readonly homepage?: string;
  readonly bugs?: { readonly url: string };
  readonly repository?: { readonly type: string; readonly url: string };
}

/** The files from which a release is prepared. */
export interface ReleaseFiles {
  readonly manifest: Manifest;
  readonly changelog: string;
  readonly readme: string;
  /** SECURITY.md. */
  readonly security: string;
}

/** The files to write, by name. Throws an error that lists everything that is missing. */
export function prepareRelease(
  tag: string,
  { manifest, changelog, readme, security }: ReleaseFiles,
): Readonly<Record<'README.md' | 'release-notes.md' | 'release-tag.txt', string>> {
  const { version, homepage, bugs, repository } = manifest;
  const url = /^git\+(https:\/\/github\.com\/[\w.-]+\/[\w.-]+?)\.git$/.exec(repository?.url ?? '')?.[1];
  const notes = notesOf(changelog, version);
  const missing = [
    tag !== `v${version}` && `package.json has the version ${version}, but the tag is ${tag}.`,
    notes === undefined && `CHANGELOG.md has no "## ${version} (year-month-day)".`,
    url === undefined && 'package.json needs "repository": { "type": "git", "url": "git+https://github.com/<owner>/<name>.git" }.',
    homepage === undefined && 'package.json needs "homepage", the address of the documentation site.',
    bugs === undefined && 'package.json needs "bugs": { "url": … }.',
    !/[\w.+-]+@[\w-]+\.\w+/.test(security) && 'SECURITY.md needs an e-mail address for reports.',
  ].filter((one) => one !== false);
  if (missing.length > 0) throw new Error(`This cannot be released:\n${missing.join('\n')}\nRELEASING.md says how.`);
  return {
    'README.md': withAbsoluteLinks(readme, url!, tag),
    'release-notes.md': withAbsoluteLinks(notes!, url!, tag),
    'release-tag.txt': version.includes('-') ? 'next' : 'latest',
  };
}

/** The section of a version with a date. */
function notesOf(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m);
  const section = sections.find((one) => one.startsWith(`${version} (`) && /^\S+ \(\d{4}-\d{2}-\d{2}\)\n/.test(one));
  return section === undefined ? undefined : `${section.slice(section.indexOf('\n')).trim()}\n`;
}

/** Pictures come from raw.githubusercontent.com, because GitHub's pages of files are HTML. */
function withAbsoluteLinks(readme: string, url: string, tag: string): string {
  const raw = url.replace('//github.com/', '//raw.githubusercontent.com/');
  return readme
    .replaceAll(/(!?)\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)/g, (whole, mark: string, text: string, target: string) =>
      isRelative(target) ? `${mark}[${text}](${mark === '!' ? `${raw}/${tag}` : `${url}/blob/${tag}`}/${target})` : whole,
    )
    .replaceAll(/\b(srcset|src)="([^"]+)"/g, (whole, attribute: string, target: string) =>
      isRelative(target) ? `${attribute}="${raw}/${tag}/${target}"` : whole,
    );
}

function hasRelativeLinks(readme: string): boolean {
  return withAbsoluteLinks(readme, 'https://github.com/a/b', 'v1') !== readme;
}

function isRelative(target: string): boolean {
  return !/^(?:[a-z]+:|#|\/)/.test(target);
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const read = (name: string): string => readFileSync(join(root, name), 'utf8');
  const [tag = ''] = process.argv.slice(2);
  if (tag === '--prepared') {
    const isPrepared = existsSync(join(root, 'release-tag.txt')) && !hasRelativeLinks(read('README.md'));
    if (!isPrepared) throw new Error('Run node scripts/release.ts v<version> first: RELEASING.md says how a version is published.');
  } else {
    const manifest = JSON.parse(read('package.json')) as Manifest;
    const texts = { changelog: read('CHANGELOG.md'), readme: read('README.md'), security: read('SECURITY.md') };
    for (const [name, text] of Object.entries(prepareRelease(tag, { manifest, ...texts }))) writeFileSync(join(root, name), text);
  }
}
