import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DefaultTheme, defineConfig, type MarkdownOptions } from 'vitepress'
import { sidebar } from './sidebar.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const repository = 'https://github.com/jwt-auth/jwt-auth'
const site = 'https://jwt-auth.github.io/jwt-auth'
const sources = 'https://raw.githubusercontent.com/jwt-auth/jwt-auth/main'

/** Returns the tag of the latest release of each major version, the newest first. */
const findReleases = (): readonly string[] => {
  const { stdout } = spawnSync('git', ['tag', '--list', '--sort=v:refname', 'v*'], { encoding: 'utf8' })
  const tags = (stdout ?? '').split('\n').filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag))
  return [...new Map(tags.map((tag) => [tag.split('.', 1)[0], tag])).values()].reverse()
}

/** Returns the path of a page on the site. `undefined` for a file that is no page. */
const toPage = (file: string): string | undefined => {
  if (file === 'README.md') return 'quick-start.md'
  const [, name] = /^packages\/([\w-]+)\/README\.md$/.exec(file) ?? []
  if (name !== undefined) return `packages/${name}.md`
  return /^docs\/(?!\.).*\.md$/.test(file) ? file.slice('docs/'.length) : undefined
}

const listedPages = sidebar.flatMap(({ items = [] }) => items).filter(({ link = '' }) => !link.includes('#'))

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0]

/** Leaves diagrams in Mermaid's language to a component of the theme. */
const showDiagrams = ({ renderer: { rules } }: Markdown): void => {
  const { fence } = rules
  rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index] ?? {}
    return info === 'mermaid' && content !== undefined
      ? `<SequenceDiagram source="${encodeURIComponent(content)}" />`
      : (fence?.(tokens, index, ...rest) ?? '')
  }
}

/** Lets relative links, which work on GitHub, lead to the page of the file or to the repository. */
const resolveLinks = (markdown: Markdown): void => {
  markdown.core.ruler.push('resolve-links', ({ tokens, env }) => {
    const source = env.realPath ?? env.path
    for (const link of tokens.flatMap(({ children }) => children ?? [])) {
      const target = link.type === 'link_open' ? link.attrGet('href') : null
      if (target === null || /^([a-z]+:|#|\/)/.test(target)) continue
      const [path = '', hash = ''] = target.split(/(?=#)/)
      // A part that a page includes has the links of the README.
      const found = [dirname(source), root].map((folder) => join(folder, path)).find(existsSync)
      if (found === undefined) continue
      const file = relative(root, found)
      const page = toPage(file)
      if (page !== undefined) link.attrSet('href', `/${page}${hash}`)
      else link.attrSet('href', `${repository}/blob/main/${file}${hash}`)
    }
  })
}

const isUnlisted = (page: string): boolean => page === 'index.md' || page.startsWith('reference/api/')

/** Derives the address of a heading as GitHub does, so that links to headings work in both places. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="8" fill="#2563eb"/></svg>',
)}`

export default defineConfig({
  title: 'jwt-auth',
  description: 'Password logins for Express: access tokens, refresh tokens and immediate revocation',
  base: '/jwt-auth/',
  srcDir: '..',
  additionalConfig: {},
  srcExclude: [
    '**/CHANGELOG.md',
    '.*/**',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'examples/**',
    'internal/**',
    'scripts/**',
    'packages/*/api/**',
  ],
  rewrites: (file) => toPage(file) ?? file,
  outDir: '../.reports/site',
  cacheDir: '../.reports/site-cache',
  cleanUrls: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: icon }]],
  lastUpdated: true,
  // Pages outside of this folder do not find the packages of this folder.
  vite: {
    resolve: {
      alias: [
        { find: /^vue$/, replacement: fileURLToPath(import.meta.resolve('vue/dist/vue.runtime.esm-bundler.js')) },
        { find: 'vue/server-renderer', replacement: fileURLToPath(import.meta.resolve('vue/server-renderer')) },
      ],
    },
  },
  markdown: {
    anchor: { slugify: toAnchor },
    config: (markdown) => {
      showDiagrams(markdown)
      resolveLinks(markdown)
    },
  },
  transformPageData: (pageData) => {
    if (pageData.relativePath === 'quick-start.md') pageData.title = 'Quick start'
    // By default, links to sections of pages count as pages.
    const index = listedPages.findIndex(({ link }) => `${link}.md` === `/${pageData.relativePath}`)
    if (index === -1) return
    pageData.frontmatter['prev'] = listedPages[index - 1] ?? false
    pageData.frontmatter['next'] = listedPages[index + 1] ?? false
  },
  // https://llmstxt.org
  buildEnd: ({ outDir, pages, rewrites, site: { title, description } }) => {
    const links = sidebar.flatMap(({ items = [] }) => items.map(({ link = '' }) => link.slice(1).split('#')))
    const missing = pages
      .map((file) => rewrites.map[file] ?? file)
      .filter((page) => !links.some(([path]) => `${path}.md` === page) && !isUnlisted(page))
    if (missing.length > 0) throw new Error(`docs/.vitepress/sidebar.ts does not list ${missing.join(', ')}`)
    for (const [path, anchor] of links) {
      const isFound =
        anchor === undefined || readFileSync(join(outDir, `${path}.html`), 'utf8').includes(`id="${anchor}"`)
      if (!isFound) throw new Error(`docs/.vitepress/sidebar.ts links to ${path}#${anchor}, which does not exist`)
    }
    const toItem = ({ text, link = '' }: DefaultTheme.SidebarItem): string => {
      const [path, anchor] = link.slice(1).split('#')
      const page = `${path}.md`
      // The repository does not contain the API of the packages.
      const address = isUnlisted(page) ? `${site}/${path}` : `${sources}/${rewrites.inv[page] ?? page}`
      return `- [${text}](${address}${anchor === undefined ? '' : `#${anchor}`})`
    }
    const sections = sidebar.map(({ text, items = [] }) => `## ${text}\n\n${items.map(toItem).join('\n')}\n`)
    writeFileSync(join(outDir, 'llms.txt'), `# ${title}\n\n> ${description}\n\n${sections.join('\n')}`)
  },
  themeConfig: {
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Guide', link: '/guide/start', activeMatch: '^/guide/' },
      { text: 'Reference', link: '/reference/options', activeMatch: '^/(reference|packages)/' },
      { text: 'Security', link: '/security' },
      {
        text: 'Versions',
        items: [
          { text: 'main: these pages', link: '/' },
          ...findReleases().map((tag) => ({ text: tag, link: `${repository}/tree/${tag}/docs` })),
          { text: 'Changelog', link: `${repository}/blob/main/CHANGELOG.md` },
        ],
      },
    ],
    sidebar,
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: { boostDocument: (id: string) => (id.includes('/reference/api/') ? 0.1 : 1) },
        },
      },
    },
    outline: 'deep',
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: { pattern: `${repository}/edit/main/:path` },
  },
})
