import { execSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

// The one place of the address: the manifest of the repository.
const address = JSON.parse(read('package.json')).repository.url.replace(/^git\+(.*)\.git$/, '$1')

const packages = readdirSync(new URL('packages/', root))
  .map((name) => `packages/${name}`)
  .filter((folder) => existsSync(new URL(`${folder}/package.json`, root)))
  .map((folder) => ({ folder, manifest: JSON.parse(read(`${folder}/package.json`)) }))
  .filter(({ manifest }) => manifest.private !== true)

const byFolder = packages.map((one) => [one.folder, one] as const)

const links = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)

describe('every published package', () => {
  it.each(byFolder)('names the repository, the home page and the issues: %s', (_, { folder, manifest }) => {
    expect(manifest).toMatchObject({
      repository: { type: 'git', url: `git+${address}.git`, directory: folder },
      homepage: `${address}#readme`,
      bugs: `${address}/issues`,
      author: expect.any(String),
      description: expect.any(String),
      keywords: expect.arrayContaining(['jwt-auth', 'jwt', 'authentication']),
      files: expect.arrayContaining(['dist']),
    })
  })

  it.each(byFolder)(
    'names the types of every subpath for module resolutions without exports: %s',
    (_, { manifest }) => {
      const { exports } = manifest.publishConfig
      const subpaths = Object.keys(exports).filter(
        (subpath) => subpath !== '.' && exports[subpath].import !== undefined,
      )
      const types = subpaths.map((subpath) => [subpath.slice(2), [exports[subpath].import.types]])

      expect(manifest.typesVersions?.['*'] ?? {}).toEqual(Object.fromEntries(types))
    },
  )

  it.each(byFolder)('links from its npm page with full addresses, to files that exist: %s', (folder) => {
    for (const link of links(read(`${folder}/README.md`))) {
      expect(link).toMatch(/^https:\/\//)
      const [page = '', path] = link.split(/\/blob\/main\/|#/)
      if (page.startsWith('https://github.com/')) expect(`${page}/`).toContain(`${address}/`)
      if (link.includes('/blob/main/')) expect(existsSync(new URL(path ?? '', root)), link).toBe(true)
    }
  })

  it.each(byFolder)('is a package of a group that changesets releases with one version: %s', (_, each) => {
    const { fixed } = JSON.parse(read('.changeset/config.json'))
    expect(fixed).toEqual([packages.map(({ manifest }) => manifest.name)])
    expect(each.manifest.version).toBe(packages[0]?.manifest.version)
  })

  // Changesets would release a minor version of a peer dependency as version 1.0.0 of the package.
  it.each(byFolder)('has no package of this repository as a peer dependency: %s', (_, { manifest }) => {
    expect(Object.keys(manifest.peerDependencies ?? {}).filter((name) => name.startsWith('@jwt-auth/'))).toEqual([])
  })
})

describe('the first release', () => {
  it('removes the note of the README that the packages are not on npm', () => {
    const folder = mkdtempSync(join(tmpdir(), 'jwt-auth-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const [, removeNote = ''] = JSON.parse(read('package.json')).scripts['version-packages'].split(
      'changeset version && ',
    )
    writeFileSync(join(folder, 'README.md'), read('README.md'))
    execSync(removeNote, { cwd: folder })
    const released = readFileSync(join(folder, 'README.md'), 'utf8')

    expect(read('README.md').includes('not on npm yet')).toBe(packages[0]?.manifest.version === '0.0.0')
    expect(released).not.toMatch(/not on npm yet|unpublished/)
    expect(released.length).toBeGreaterThan(read('README.md').length - 500)
  })
})

describe('the pages and workflows of the repository', () => {
  it.each(['CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md', '.github/workflows/release.yml'])(
    'give the address of the repository: %s',
    (page) => {
      expect(read(page)).toContain(page.endsWith('.yml') ? address.replace('https://github.com/', '') : `${address}/`)
    },
  )

  it.each(readdirSync(new URL('.github/workflows/', root)))('pin every action by its commit: %s', (workflow) => {
    const actions = [...read(`.github/workflows/${workflow}`).matchAll(/uses: (.*)/g)].map(([, action]) => action)
    expect(actions.length).toBeGreaterThan(0)
    for (const action of actions) expect(action).toMatch(/^[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })
})
