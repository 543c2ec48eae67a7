import { knexStorage } from '@jwt-auth/storage-knex'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { describe, expect, it } from 'vitest'
import { checkCommands, checkJson } from './code-blocks/commands.js'
import { checkTypes, findShownFile, isPartOf } from './code-blocks/compile.js'
import { type Block, pages, read, readBlocks, readCells } from './code-blocks/pages.js'
import { checkDiagram, checkPaths, checkRequest, findUnquoted } from './code-blocks/texts.js'

const markdown = new Map(pages.map((page) => [page, read(page)]))
const blocks = [...markdown].flatMap(([page, text]) => readBlocks(page, text))
const checked = blocks.filter(({ unchecked }) => unchecked === undefined)
const inLanguages = (...languages: readonly string[]): readonly Block[] =>
  checked.filter(({ language }) => languages.includes(language))

const code = inLanguages('ts', 'tsx', 'js', 'jsx', 'mjs')
const programs = (page: string): string => code.flatMap((block) => (block.page === page ? [block.text] : [])).join('\n')

const checkShown = (block: Block) => (isPartOf(block) ? [] : ['the program has other lines'])

/** The check of each language, except for code and SQL. */
const checks: Readonly<Record<string, (block: Block) => readonly string[] | Promise<readonly string[]>>> = {
  sh: checkCommands,
  json: ({ text }) => checkJson(text),
  http: checkRequest,
  mermaid: checkDiagram,
  nginx: checkShown,
  python: checkShown,
  text: ({ page, text }) => findUnquoted(text.trimEnd().split('\n'), programs(page)),
  // Files of the repository, each with what it contains.
  '': checkPaths,
}

/** Returns the messages of a check, each with the place of its block. */
const collect = async (some: readonly Block[], check: (typeof checks)[string]): Promise<readonly string[]> => {
  const found = some.map(async (block) => (await check(block)).map((message) => `${block.place}: ${message}`))
  return (await Promise.all(found)).flat()
}

describe('the blocks of the pages', () => {
  it(`are all checked, except for marked ones: ${checked.length} of ${blocks.length}`, () => {
    const languages = [...Object.keys(checks), 'sql']
    const unknown = checked.filter((block) => !languages.includes(block.language) && !code.includes(block))
    expect(unknown.map(({ place }) => place)).toEqual([])
    expect(blocks.length - checked.length).toBeLessThanOrEqual(3)
    expect([...markdown.values()].join('\n').match(/^ *```/gm)).toHaveLength(2 * blocks.length)
  })

  it('compile, if they are TypeScript or JavaScript', () => {
    expect(checkTypes(code.filter((block) => findShownFile(block) === undefined))).toEqual([])
  })

  it('show lines of the program that their first line names', async () => {
    const shown = code.filter((block) => findShownFile(block) !== undefined)
    expect(await collect(shown, checkShown)).toEqual([])
  })

  it.each(Object.entries(checks))('pass the check of their language: %s', async (language, check) => {
    expect(inLanguages(language).length).toBeGreaterThan(0)
    expect(await collect(inLanguages(language), check)).toEqual([])
  })
})

const [, postgres] = await findDatabases()

describeEach([postgres], 'the SQL of the pages on $name', ({ createDatabase }) => {
  it('is valid', async () => {
    const database = await createDatabase()
    const knex = database.connect()
    await knexStorage(knex).migrate()
    // A query is planned, and another statement is parsed.
    const check = (sql: string) =>
      knex.raw(/^select/i.test(sql) ? `explain ${sql}` : `do $$begin return; ${sql}; end$$`)
    const messages = await collect(inLanguages('sql'), async ({ text }) => {
      const statements = text
        .replaceAll(/--.*$/gm, '')
        .split(';')
        .map((sql) => sql.trim())
      const results = await Promise.allSettled(statements.filter(Boolean).map(check))
      return results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
    })
    await database.drop()
    expect(messages).toEqual([])
  })
})

describe('the text of the pages', () => {
  it('names only commands that exist', async () => {
    const commands = [...markdown].flatMap(([page, text]) =>
      [...text.matchAll(/(?<!`)`((?:npm\s+(?:run|test|install)|npx)\s[^`]+)`/g)].map(([, command = '']) => ({
        page,
        place: page,
        language: 'sh',
        text: command.replaceAll(/\s+/g, ' '),
        unchecked: undefined,
      })),
    )
    expect(commands.length).toBeGreaterThan(20)
    expect(await collect(commands, checkCommands)).toEqual([])
  })

  it('quotes log lines as the code writes them', () => {
    const cells = [
      ...readCells(read('docs/guide/start.md'), 'Log line or symptom').map(([cell = '']) => cell),
      ...readCells(read('docs/reliability.md'), 'Fault').map(([, cell = '']) => cell),
    ]
    const lines = cells
      .flatMap((cell) => [...cell.matchAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)])
      .map(([, , line = '']) => line.trim())
      .filter((line) => / \S+ /.test(line))
    expect(lines.length).toBeGreaterThan(10)
    expect(findUnquoted(lines)).toEqual([])
  })
})

describe('a page of docs/', () => {
  const references = /^docs\/reference\//
  const written = [...markdown].filter(([page]) => page.startsWith('docs/') && !references.test(page))

  it('has at most 1,500 words, unless it is a reference', () => {
    const counts = written.map(([page, text]) => ({ page, words: text.split(/\s+/).filter(Boolean).length }))
    expect(counts.filter(({ words }) => words > 1_500)).toEqual([])
  })
})
