import { existsSync, readdirSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../packages/core/src/errors/auth-error.js'
import { errorTable } from '../../packages/core/src/errors/error-table.js'
import { readRateLimits } from '../../packages/core/src/limits/rate-limits.js'
import { usageError } from '../../packages/core/src/option-checks.js'
import { pages as documents, listFiles, read, readCells, root } from './code-blocks/pages.js'

const isCode = (text: string): text is keyof typeof errorTable => Object.hasOwn(errorTable, text)

const site = 'https://jwt-auth.github.io/jwt-auth/'

const expectAddresses = (addresses: readonly string[]): void => {
  for (const address of addresses) {
    expect(address.startsWith(site), address).toBe(true)
    const [page = '', anchor] = address.slice(site.length).split('#')
    expect(readAnchors(read(`docs/${page}.md`)), address).toContain(anchor)
  }
}

/** The functions that name an option or a function in an error, and the position of the name. */
const namePositions: Readonly<Record<string, number>> = {
  ...{ usageError: 0, optionError: 0, invalidOption: 0, checkOptionNames: 2, readSystem: 1, readBase64: 0 },
  ...{ readFunction: 0, readBoolean: 0, readText: 0, readInstant: 0, readPort: 0, readIssuer: 0, checkClaim: 0 },
  ...{ requireKnex: 0, requireExecutor: 0, requireObject: 0, requireClient: 1, refuseOptions: 1 },
  ...{ readOptions: 0, readPreparedStatements: 1, parsePrefix: 0, readIdentifier: 0 },
}

/** The names in the errors of wrong options, as far as the sources have them as text. */
const readErrorNames = (): readonly string[] => {
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return
    const name = node.arguments[namePositions[node.expression.text] ?? Number.NaN]
    if (name !== undefined && ts.isStringLiteralLike(name)) names.push(name.text)
    if (name !== undefined && ts.isTemplateExpression(name) && name.head.text !== '') names.push(name.head.text)
  }
  for (const path of listFiles('packages/').filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file))) {
    visit(ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest))
  }
  return names
}

const codeIn = (cell = ''): string => cell.replaceAll('`', '')

/** The names of an interface's members. */
const readMembers = (path: string, name: string): readonly string[] => {
  const file = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest)
  const declaration = file.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === name)
  if (declaration === undefined || !ts.isInterfaceDeclaration(declaration)) throw new Error(`no interface ${name}`)
  return declaration.members.flatMap(({ name: member }) => (member && ts.isIdentifier(member) ? [member.text] : []))
}

const folderOf = (document: string): string => document.replace(/[^/]*$/, '')

/** The addresses of a page's headings, as GitHub derives them, and of its other anchors. */
const readAnchors = (markdown: string): readonly string[] => {
  const headings = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)
  const anchors = [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
  return [...anchors, ...[...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]
}

/** The packages that pages and sources tell readers to run, with npx or another package manager. */
const findPackageCommands = () => {
  const command = /\b(?:npx|bunx|(?:pnpm|yarn) dlx|npm exec)\s+(?:--?\S*\s+)*([@\w./-]+)/g
  const sources = listFiles('').filter((path) => /^(packages|examples)\/(?!.*\/test\/).*\.ts$/.test(path))
  return [...documents, ...sources].flatMap((path) =>
    [...read(path).matchAll(command)].map(([, name = '']) => ({ path, name })),
  )
}

/** The packages of the workspace that npx can run, because they have exactly one command. */
const listCommandPackages = (): readonly string[] =>
  listFiles('packages/')
    .filter((path) => path.endsWith('/package.json'))
    .map((path) => JSON.parse(read(path)))
    .flatMap(({ name, bin = {} }) => (Object.keys(bin).length === 1 ? [name] : []))

describe('the documents', () => {
  it('have an address for every error code', () => {
    const codes = Object.keys(errorTable).filter(isCode)
    expectAddresses(codes.map((code) => new AuthError(code).help))
  })

  it('have an address for everything that the error of a wrong option names', () => {
    const names = readErrorNames()
    expect(names.length).toBeGreaterThan(80)
    expectAddresses(names.map((name) => usageError(name, '').message.replace(/^.*\nSee /, '')))
  })

  it('give the default of every limit', () => {
    const page = read('docs/reference/options.md')
    for (const name of readMembers('packages/core/src/limits/rate-limits.ts', 'RateLimits')) {
      const [, item = ''] = page.split(`- **\`${name}\`**`)
      const limits: Readonly<Record<string, unknown>> = { ...readRateLimits() }
      const [, points, durationSeconds] = /Default:\s+{\s+points:\s+(\d+),\s+durationSeconds:\s+(\d+)/.exec(item) ?? []
      expect({ points: Number(points), durationSeconds: Number(durationSeconds) }, name).toEqual(limits[name])
    }
  })

  it('list every folder of packages, examples and internal in the architecture', () => {
    const listed = [...read('docs/architecture.md').matchAll(/^((?:packages|internal|examples)\/[\w-]+) /gm)]
    const folders = ['packages', 'internal', 'examples'].flatMap((parent) =>
      readdirSync(`${root}${parent}`).map((name) => `${parent}/${name}`),
    )
    expect(listed.map(([, folder]) => folder).toSorted()).toEqual(folders.toSorted())
  })

  it.each(['internal/bench', 'internal/reliability'])(
    'list every folder of the sources in the README of %s',
    (path) => {
      const rows = readCells(read(`${path}/README.md`), 'Folder of `src/`')
      const folders = readdirSync(`${root}${path}/src`, { withFileTypes: true }).filter((entry) => entry.isDirectory())
      expect(rows.map(([cell = '']) => cell.replace(/^.*\(src\/(.*)\)$/, '$1')).toSorted()).toEqual(
        folders.map(({ name }) => name).toSorted(),
      )
    },
  )

  it('name only files that exist in the architecture', () => {
    const [, rules = ''] = read('docs/architecture.md').split('## Where to change a rule')
    const paths = [...rules.matchAll(/`([a-z0-9-]+\/[a-z0-9/-]+\.ts)`/g)].map(([, path]) => path)
    expect(paths.length).toBeGreaterThan(30)
    for (const path of paths) {
      const folder = path?.includes('/src/') ? 'packages' : 'packages/core/src'
      expect(read(`${folder}/${path}`), path).toBeDefined()
    }
  })

  it('walk a login through files that exist, in at most fifteen lines', () => {
    const [, walk = ''] = read('docs/architecture.md').split('## A login')
    const [, block = ''] = walk.split('```')
    const lines = block.trim().split('\n')
    expect(lines.length).toBeLessThanOrEqual(15)
    let folder = ''
    for (const [, named, file] of block.matchAll(/([a-z-]+(?:\/[a-z-]+)*\/)?([a-z0-9-]+\.ts)/g)) {
      folder = named ?? folder
      expect(existsSync(`${root}packages/${folder.replace('/', '/src/')}${file}`), `${folder}${file}`).toBe(true)
    }
  })

  it('list every method of the storage port', () => {
    const documented = readCells(read('docs/writing-an-adapter.md'), 'Method').map(([method]) =>
      codeIn(method).replace(/\(.*/, ''),
    )
    const members = readMembers('packages/core/src/ports/session-storage.ts', 'SessionStorage')
    const properties = ['isInProcess', 'batchLookups', 'limiter']
    expect(documented).toEqual(members.filter((member) => !properties.includes(member)))
  })

  it('link a test in every row of the table of threats', () => {
    const [threats = ''] = read('docs/security.md').split('## Not defended')
    const rows = threats.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Threat |'))
    expect(rows.length).toBeGreaterThan(30)
    expect(rows.filter((row) => !/\]\(\S+\.test\.ts\)/.test(row))).toEqual([])
  })

  it('have every heading that an address on GitHub names', () => {
    const files = [...documents, ...listFiles('packages/').filter((path) => /\/src\/.*\.ts$/.test(path))]
    const texts = files.map(read)
    const targets = texts.flatMap((text) => [...text.matchAll(/jwt-auth\/blob\/main\/([\w./-]+\.md)(?:#([\w-]+))?/g)])
    expect(targets.length).toBeGreaterThan(10)
    for (const [address, path = '', anchor] of targets) {
      const anchors = readAnchors(read(path))
      if (anchor !== undefined) expect(anchors, address).toContain(anchor)
    }
  })

  it('run with npx only packages of this workspace and of a short list, which other people cannot claim', () => {
    const commands = findPackageCommands()
    expect(commands.length).toBeGreaterThan(15)
    const known = ['@changesets/cli', 'esbuild', 'size-limit', 'tsx', 'vitest', ...listCommandPackages()]
    expect(commands.filter(({ name }) => !known.includes(name))).toEqual([])
  })

  it('install the command line as a dependency on each page that runs it', () => {
    const paths = findPackageCommands().flatMap(({ path, name }) => (name === '@jwt-auth/cli' ? [path] : []))
    const runners = paths.filter((path) => path.endsWith('.md'))
    expect(runners.length).toBeGreaterThan(4)
    expect(runners.filter((path) => !/npm install @jwt-auth\/cli/.test(read(path)))).toEqual([])
  })

  it.each(documents)('link only to files that exist: %s', (document) => {
    for (const [, path] of read(document).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      expect(existsSync(`${root}${folderOf(document)}${path}`), path).toBe(true)
    }
  })

  it.each(documents)('link only to headings that exist: %s', (document) => {
    for (const [, path, anchor] of read(document).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)) {
      const target = path === '' ? document : `${folderOf(document)}${path}`
      expect(readAnchors(read(target)), `${path}#${anchor}`).toContain(anchor)
    }
  })
})
