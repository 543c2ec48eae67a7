import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The words of the glossary in CONTRIBUTING.md. */
const patterns: Readonly<Record<string, RegExp>> = {
  answers: /answer/i,
  'hears of': /\bhears? of\b/i,
  'is told': /\bis told\b/i,
  mend: /\bmend(s|ed|ing)?\b/i,
  'whole again': /\bwhole again\b/i,
  hole: /\bholes?\b/i,
  room: /\brooms?\b/i,
  house: /\bhouse\b/i,
  kit: /\bkits?\b/i,
  'at once': /\bat once\b|AtOnce\b/i,
  'under way': /\bunder ?way\b/i,
  // Not a comparison, such as “is over 16 KiB” or “is over the limit”.
  'is over': /\b(is|are|was|were|be|been)( already| not)? over\b(?! (\d|the\b))|\b(is|are)Over\b/i,
  // Not `keepAlive` or “long-lived”.
  live: /\b[Ll]ives?(?![a-z])|[a-z]Live(?![a-z])/,
  // Not SQL, which follows a quotation mark or `$$`.
  begin: /(?<!'|\$\$ )\b[Bb]egins?\b/,
  'let in': /\blets? in\b/i,
  stranger: /\bstrangers?\b/i,
  good: /\b[Gg]ood(?![a-z])|[a-z]Good(?![a-z])/,
  'no good': /\bno good\b/i,
  genuine: /\bgenuine\b/i,
  'left out': /\bleft out\b/i,
  'left alone': /\bleft alone\b/i,
  // Not “there is”, and not “that is documented there”.
  'is there': /\b(is|are|was|were|be|been)( always| already| still| not| no longer)? there\b/i,
  "the host's own": /\bthe hosts?['’]s? own\b/i,
  'is not to be had': /\bto be had\b/i,
  whoever: /\bwhoever\b/i,
  whatever: /\bwhatever\b/i,
  draws: /\bdraws?\b/i,
  'gives up': /\bgives? up\b|\bgiveUp\b/i,
}

/** Lists of words, and texts of others. */
const exempt = /pnpm-lock\.yaml$|\/vectors\/|glossary\.test\.ts$|LICENSE$/

/** Legitimate uses: the file, and text that each excused line contains. */
const legitimate: readonly (readonly [file: string, text: string])[] = [
  ['examples/host-app/src/routes/account.ts', 'trustno1 whatever letmein1'],
]

/** The glossary: each word with its replacement. */
const readGlossary = (): ReadonlyMap<string, string> => {
  const [, rows = ''] = readFileSync(`${root}CONTRIBUTING.md`, 'utf8').split('| Do not write | Write |\n|---|---|\n')
  const table = rows.slice(0, rows.indexOf('\n\n')).split('\n')
  return new Map(
    table.flatMap((row) => {
      const [, words = '', replacement = ''] = row.split('|').map((cell) => cell.trim())
      return words.split(', ').map((word) => [word.replace(/ \(.*\)$/, ''), replacement] as const)
    }),
  )
}

const isProse = (file: string): boolean => /\.(ts|mts|mjs|js|html|css|md|ya?ml|json)$/.test(file) && !exempt.test(file)

const isOurs = (folder: string): boolean =>
  !['node_modules', 'dist', 'temp', 'coverage'].includes(folder) && (!folder.startsWith('.') || folder === '.github')

const listFiles = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return isOurs(entry.name) ? listFiles(path) : []
    return isProse(path) ? [relative(root, path)] : []
  })

const isExcused = (file: string, line: string): boolean =>
  (file === 'CONTRIBUTING.md' && line.startsWith('|')) ||
  legitimate.some(([excused, text]) => file === excused && line.includes(text))

/** Finds the words in the name and the lines of a file. The name counts as line 0. */
const findUses = (file: string): readonly string[] =>
  [file, ...readFileSync(root + file, 'utf8').split('\n')].flatMap((line, number) => {
    const found = Object.entries(patterns).filter(([, pattern]) => pattern.test(line) && !isExcused(file, line))
    return found.map(([word]) => `${file}:${number}: “${word}”, write “${glossary.get(word)}”: ${line.trim()}`)
  })

const glossary = readGlossary()

describe('the glossary in CONTRIBUTING.md', () => {
  it('has a pattern for each word', () => {
    expect(Object.keys(patterns).toSorted()).toEqual([...glossary.keys()].toSorted())
  })

  it('has patterns that find their words', () => {
    expect(Object.entries(patterns).filter(([word, pattern]) => !pattern.test(word))).toEqual([])
  })

  it('lists no word that the name or the text of a file uses', () => {
    const files = listFiles(root)
    expect(files.length).toBeGreaterThan(500)
    expect(files.flatMap(findUses)).toEqual([])
  })
})

describe('the list of legitimate uses', () => {
  it('contains existing text only', () => {
    const unused = legitimate.filter(([file, text]) => !readFileSync(root + file, 'utf8').includes(text))
    expect(unused).toEqual([])
  })
})
