import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../src/errors/auth-error.js'
import { errorTable } from '../src/errors/error-table.js'
import { readRateLimits } from '../src/limits/rate-limits.js'

const read = (path: string): Promise<string> => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')

/** The first cells of a Markdown table's rows, given the heading of its first column. */
const readRows = (markdown: string, heading: string): string[][] => {
  const [, table = ''] = markdown.split(new RegExp(`^\\| ${heading} \\|.*\\n\\|[-| ]+\\n`, 'm'))
  const [rows = ''] = table.split('\n\n')
  return rows
    .trim()
    .split('\n')
    .map((row) => row.split(/(?<!\\)\|/).slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
}

const isCode = (text: string): text is keyof typeof errorTable => Object.hasOwn(errorTable, text)

const codeIn = (cell = ''): string => cell.replaceAll('`', '')

/** The names of an interface's members. */
const readMembers = async (path: string, name: string): Promise<string[]> => {
  const file = ts.createSourceFile(path, await read(path), ts.ScriptTarget.Latest)
  const declaration = file.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === name)
  if (declaration === undefined || !ts.isInterfaceDeclaration(declaration)) throw new Error(`no interface ${name}`)
  return declaration.members.flatMap(({ name: member }) => (member && ts.isIdentifier(member) ? [member.text] : []))
}

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The pages of a folder and its subfolders, without those of installed packages and of changes. */
const listPages = (folder: string): readonly string[] =>
  readdirSync(`${root}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory() && !/^(\.|node_modules$|dist$|api$|temp$)/.test(entry.name))
      return listPages(`${folder}${entry.name}/`)
    return entry.name.endsWith('.md') && entry.name !== 'CHANGELOG.md' ? [`${folder}${entry.name}`] : []
  })

const documents = listPages('')

const folderOf = (document: string): string => document.replace(/[^/]*$/, '')

/** The addresses of a page's headings, as GitHub derives them. */
const readAnchors = (markdown: string): readonly string[] =>
  [...markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

describe('the documents', () => {
  it('list every error code with its status', async () => {
    const rows = readRows(await read('docs/http-api.md'), 'Code')
    const documented = Object.fromEntries(rows.map(([code, status]) => [codeIn(code), Number(status)]))
    const actual = Object.fromEntries(Object.entries(errorTable).map(([code, { status }]) => [code, status]))
    expect(documented).toEqual(actual)
  })

  it('quote the message of every error code', async () => {
    for (const [cell = '', , messages = ''] of readRows(await read('docs/http-api.md'), 'Code')) {
      const code = codeIn(cell)
      if (!isCode(code)) throw new Error(`${code} is no code`)
      expect(messages).toContain(`\`${new AuthError(code).message}\``)
    }
  })

  it('list every option of jwtAuth', async () => {
    const documented = readRows(await read('docs/guide.md'), 'Option').map(([name]) => codeIn(name))
    const options = [
      ...(await readMembers('packages/core/src/options/token-service-options.ts', 'TokenServiceOptions')),
      ...(await readMembers('packages/express/src/options.ts', 'JwtAuthOptions')),
    ]
    expect(documented.toSorted()).toEqual(options.toSorted())
  })

  it('list every limit with its default', async () => {
    const documented = readRows(await read('docs/guide.md'), 'Limit').map(([name, value]) => [
      codeIn(name),
      codeIn(value),
    ])
    const policy = readRateLimits()
    const names = ['accountAndNetwork', 'account', 'network', 'knownNetwork', 'successfulLogins', 'tokens'] as const
    const actual = names.map((name) => [
      name,
      `{ points: ${policy?.[name].points}, durationSeconds: ${policy?.[name].durationSeconds} }`,
    ])
    expect(documented).toEqual(actual)
    expect(await readMembers('packages/core/src/limits/rate-limits.ts', 'RateLimits')).toEqual(
      actual.map(([name]) => name),
    )
  })

  it('list every option of user directories and of the queue', async () => {
    const guide = await read('docs/guide.md')
    const listed = (heading: string) => readRows(guide, heading).map(([name]) => codeIn(name))
    const directory = [
      ...(await readMembers('packages/core/src/passwords/password-users.ts', 'PasswordUsersOptions')),
      ...(await readMembers('packages/core/src/passwords/hashing.ts', 'HashingOptions')),
    ]
    expect(listed('User option').toSorted()).toEqual(directory.toSorted())
    expect(listed('Queue option')).toEqual(
      await readMembers('packages/core/src/passwords/hashing-queue.ts', 'HashingQueueOptions'),
    )
  })

  it('name only files that exist in the architecture', async () => {
    const [, rules = ''] = (await read('docs/architecture.md')).split('## Where to change a rule')
    const paths = [...rules.matchAll(/`([a-z0-9-]+\/[a-z0-9/-]+\.ts)`/g)].map(([, path]) => path)
    expect(paths.length).toBeGreaterThan(30)
    for (const path of paths) {
      const folder = path?.includes('/src/') ? 'packages' : 'packages/core/src'
      await expect(read(`${folder}/${path}`), path).resolves.toBeDefined()
    }
  })

  it('list every method of the storage port', async () => {
    const documented = readRows(await read('docs/writing-an-adapter.md'), 'Method').map(([method]) =>
      codeIn(method).replace(/\(.*/, ''),
    )
    const members = await readMembers('packages/core/src/ports/session-storage.ts', 'SessionStorage')
    expect(documented).toEqual(members.filter((member) => member !== 'isInProcess' && member !== 'batchLookups'))
  })

  it('link a test in every row of the table of threats', async () => {
    const [threats = ''] = (await read('docs/security.md')).split('## Not defended')
    const rows = threats.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Threat |'))
    expect(rows.length).toBeGreaterThan(30)
    expect(rows.filter((row) => !/\]\(\S+\.test\.ts\)/.test(row))).toEqual([])
  })

  it.each(documents)('link only to files that exist: %s', async (document) => {
    for (const [, path] of (await read(document)).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      expect(existsSync(`${root}${folderOf(document)}${path}`), path).toBe(true)
    }
  })

  it.each(documents)('link only to headings that exist: %s', async (document) => {
    for (const [, path, anchor] of (await read(document)).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)) {
      const target = path === '' ? document : `${folderOf(document)}${path}`
      expect(readAnchors(await read(target)), `${path}#${anchor}`).toContain(anchor)
    }
  })
})
