// Mutation tests: changes the sources of a room in every small way and looks whether a test notices.
//
// Usage: npm run mutation -- [room …] [--changed] [--without-static]; without rooms, all of them. Each ends with its row of
// docs/security/mutation-testing.md; the report with every mutant is .reports/mutation/<room>.html. `--changed` takes over from the run
// before what neither a change of the room's sources nor of its tests concerns: for killing survivors, not for a score.
// `--without-static` leaves out the mutants of what runs while a file loads: each of them needs all tests of the room.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { mutationRooms } from './mutation-rooms.mjs'
import { toRow } from './mutation-score.mjs'
import { root } from './workspace.mjs'

const reports = '.reports/mutation'

const runStryker = (room, { isFull, leavesOutStatic }) => {
  // Read by vitest.mutation.config.ts, in processes of Stryker's.
  process.env.MUTATION_TESTS = JSON.stringify(room.tests)
  return new Stryker({
    mutate: room.mutate,
    testRunner: 'vitest',
    vitest: { configFile: 'vitest.mutation.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner'],
    reporters: ['html', 'progress-append-only'],
    htmlReporter: { fileName: `${reports}/${room.name}.html` },
    incremental: true,
    incrementalFile: `${reports}/${room.name}.json`,
    force: isFull,
    ignoreStatic: leavesOutStatic,
    ignorePatterns: ['/.reports', '/packages/*/dist'],
    tempDirName: '.stryker-tmp',
    concurrency: 2,
    timeoutMS: 20_000,
    logLevel: 'warn',
    allowEmpty: false,
  }).runMutationTest()
}

const alive = new Set(['Survived', 'NoCoverage'])

const describe = ({ fileName, location, mutatorName, replacement, status }) => {
  const file = relative(root, fileName)
  return `${status} ${file}:${location.start.line}:${location.start.column} ${mutatorName} → ${replacement}`
}

const runRoom = async (room, options) => {
  const begin = performance.now()
  const mutants = await runStryker(room, options)
  const row = toRow(room.name, mutants, new Date())
  const survivors = mutants
    .filter(({ status }) => alive.has(status))
    .map(describe)
    .toSorted()
  for (const line of [...survivors, `${room.name} took ${Math.round((performance.now() - begin) / 1000)} s.`, row]) {
    console.log(line)
  }
  writeFileSync(`${reports}/${room.name}.txt`, `${[row, ...survivors].join('\n')}\n`)
}

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    'without-static': { type: 'boolean', default: false },
  },
})
const unknown = names.find((name) => !mutationRooms.some((room) => room.name === name))
if (unknown === undefined) {
  process.chdir(root)
  mkdirSync(join(root, reports), { recursive: true })
  const rooms = mutationRooms.filter(({ name }) => names.length === 0 || names.includes(name))
  const options = { isFull: !values.changed, leavesOutStatic: values['without-static'] }
  for (const room of rooms) await runRoom(room, options)
} else {
  console.error(`There is no room ${unknown}; there are ${mutationRooms.map(({ name }) => name).join(', ')}.`)
  process.exitCode = 1
}
