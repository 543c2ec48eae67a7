// Mutation tests: makes small changes to sources and reports which changes no test detects. Prints
// the score, and writes a report with every mutant to .reports/mutation.
//
// Usage: npm run mutation -- [--without-static] FOLDER …, such as packages/core/src/limits
//   --without-static  skips mutants of code that runs while a file loads: each of them needs all tests
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { root } from './workspace.mjs'

const reports = '.reports/mutation'
const all = ['packages/core/src', 'packages/passwords/src', 'packages/express/src']

const runStryker = (folder, name, ignoreStatic) =>
  new Stryker({
    mutate: [folder.endsWith('.ts') ? folder : `${folder}/**/*.ts`],
    testRunner: 'vitest',
    vitest: { configFile: 'vitest.mutation.config.ts' },
    plugins: ['@stryker-mutator/vitest-runner'],
    reporters: ['html', 'progress-append-only'],
    htmlReporter: { fileName: `${reports}/${name}.html` },
    ignoreStatic,
    ignorePatterns: ['/.reports', '/packages/*/dist'],
    tempDirName: '.stryker-tmp',
    concurrency: 2,
    dryRunTimeoutMinutes: 20,
    // Long enough that a busy machine does not turn a survivor into a timeout.
    timeoutMS: 40_000,
    timeoutFactor: 3,
    logLevel: 'warn',
    allowEmpty: false,
  }).runMutationTest()

const undetected = new Set(['Survived', 'NoCoverage'])

const describe = ({ fileName, location, mutatorName, replacement, status }) => {
  const file = relative(root, fileName)
  return `${status} ${file}:${location.start.line}:${location.start.column} ${mutatorName} → ${replacement}`
}

/**
 * Returns the score in words. A mutant is detected when a test fails, or does not end in time.
 * Mutants that do not run (an error while a file loads, a skipped mutant) do not count.
 */
const toScore = (mutants) => {
  const detected = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  const total = detected + mutants.filter(({ status }) => undetected.has(status)).length
  return `${((100 * detected) / Math.max(1, total)).toFixed(1)} % of ${total} mutants detected`
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'without-static': { type: 'boolean', default: false } },
})
process.chdir(root)
mkdirSync(join(root, reports), { recursive: true })
for (const folder of positionals.length > 0 ? positionals : all) {
  const name = folder.replace(/^packages\//, '').replaceAll('/', '-')
  const mutants = await runStryker(folder, name, values['without-static'])
  const survivors = mutants.filter(({ status }) => undetected.has(status)).map(describe)
  const lines = [...survivors.toSorted(), `${folder}: ${toScore(mutants)}`]
  console.log(lines.join('\n'))
  writeFileSync(`${reports}/${name}.txt`, `${lines.join('\n')}\n`)
}
