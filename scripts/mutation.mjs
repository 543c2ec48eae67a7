// Mutation tests: makes small changes to the sources of a module and reports which changes no test detects.
//
// Usage: npm run mutation -- [module …] [--changed] [--without-static] [--files <pattern>]; without a module, tests all modules. Prints the
// score of each module, and writes a report with every mutant to .reports/mutation/<module>.html.
//   --changed         tests only mutants of changed sources and changed tests, and takes the other results from the last run. Use it to
//                     remove survivors, not for a score.
//   --files           tests only mutants of these sources, with the tests of the module; the report is <module>-part.html
//   --without-static  skips mutants of code that runs while a file loads, because each of them needs all tests of the module
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { mutationModules } from './mutation-modules.mjs'
import { root } from './workspace.mjs'

const reports = '.reports/mutation'

const runStryker = (module, { isFull, skipsStatic }) => {
  // For vitest.mutation.config.ts, in the processes of Stryker.
  process.env.MUTATION_TESTS = JSON.stringify(module.tests)
  return new Stryker({
    mutate: module.mutate,
    testRunner: 'vitest',
    vitest: { configFile: 'vitest.mutation.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner'],
    reporters: ['html', 'progress-append-only'],
    htmlReporter: { fileName: `${reports}/${module.name}.html` },
    // A part does not continue an earlier run: the results of that run for other files would count.
    incremental: module.isPart !== true,
    incrementalFile: `${reports}/${module.name}.json`,
    force: isFull,
    ignoreStatic: skipsStatic,
    ignorePatterns: ['/.reports', '/packages/*/dist'],
    tempDirName: '.stryker-tmp',
    concurrency: 2,
    // Long enough that a busy machine does not turn a survivor into a timeout.
    timeoutMS: 40_000,
    timeoutFactor: 3,
    logLevel: 'warn',
    allowEmpty: false,
  }).runMutationTest()
}

const undetected = new Set(['Survived', 'NoCoverage'])

const describe = ({ fileName, location, mutatorName, replacement, status }) => {
  const file = relative(root, fileName)
  return `${status} ${file}:${location.start.line}:${location.start.column} ${mutatorName} → ${replacement}`
}

const testModule = async (module, options) => {
  const start = performance.now()
  const mutants = await runStryker(module, options)
  const survivors = mutants
    .filter(({ status }) => undetected.has(status))
    .map(describe)
    .toSorted()
  const seconds = Math.round((performance.now() - start) / 1000)
  const lines = [...survivors, `${module.name}: ${toScore(mutants)}, in ${seconds} s`]
  console.log(lines.join('\n'))
  writeFileSync(`${reports}/${module.name}.txt`, `${lines.join('\n')}\n`)
}

/**
 * Returns the score in words. A mutant is detected when a test fails, or does not end in time. Mutants
 * that do not run (an error while a file loads, a skipped mutant) do not count.
 */
const toScore = (mutants) => {
  const detected = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  const total = detected + mutants.filter(({ status }) => undetected.has(status)).length
  return `${((100 * detected) / Math.max(1, total)).toFixed(1)} % of ${total} mutants detected`
}

const toPart = (module, files) => ({ ...module, name: `${module.name}-part`, mutate: [files], isPart: true })

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    'without-static': { type: 'boolean', default: false },
    files: { type: 'string' },
  },
})
const unknown = names.find((name) => !mutationModules.some((module) => module.name === name))
if (unknown === undefined) {
  process.chdir(root)
  mkdirSync(join(root, reports), { recursive: true })
  const modules = mutationModules.filter(({ name }) => names.length === 0 || names.includes(name))
  const options = { isFull: !values.changed, skipsStatic: values['without-static'] }
  for (const module of modules)
    await testModule(values.files === undefined ? module : toPart(module, values.files), options)
} else {
  console.error(`Unknown module ${unknown}. The modules are ${mutationModules.map(({ name }) => name).join(', ')}.`)
  process.exitCode = 1
}
