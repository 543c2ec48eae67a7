// Mutation tests: changes the sources of a room in every small way and looks whether a test notices.
//
// Usage: npm run mutation -- [room …]; without rooms, all of them. Reports with every mutant: .reports/mutation/<room>.html
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { mutationRooms } from './mutation-rooms.mjs'
import { root } from './workspace.mjs'

const reports = '.reports/mutation'

const runStryker = (room) => {
  // Read by vitest.mutation.config.ts, in processes of Stryker's.
  process.env.MUTATION_TESTS = JSON.stringify(room.tests)
  return new Stryker({
    mutate: room.mutate,
    testRunner: 'vitest',
    vitest: { configFile: 'vitest.mutation.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner'],
    reporters: ['html', 'progress-append-only'],
    htmlReporter: { fileName: `${reports}/${room.name}.html` },
    ignorePatterns: ['/.reports', '/packages/*/dist'],
    tempDirName: '.stryker-tmp',
    concurrency: 2,
    timeoutMS: 20_000,
    logLevel: 'warn',
    allowEmpty: false,
  }).runMutationTest()
}

const killed = new Set(['Killed', 'Timeout'])
const alive = new Set(['Survived', 'NoCoverage'])

const describe = ({ fileName, location, mutatorName, replacement, status }) => {
  const file = relative(root, fileName)
  return `${status} ${file}:${location.start.line}:${location.start.column} ${mutatorName} → ${replacement}`
}

const runRoom = async (room) => {
  const begin = performance.now()
  const mutants = await runStryker(room)
  const survivors = mutants.filter(({ status }) => alive.has(status))
  const dead = mutants.filter(({ status }) => killed.has(status)).length
  const score = `${((100 * dead) / Math.max(1, dead + survivors.length)).toFixed(1)} %`
  const seconds = Math.round((performance.now() - begin) / 1000)
  const lines = survivors.map(describe).toSorted()
  for (const line of lines) console.log(line)
  console.log(`${room.name}: ${score}, ${dead} of ${dead + survivors.length} mutants killed in ${seconds} s`)
  writeFileSync(`${reports}/${room.name}.txt`, `${[score, ...lines].join('\n')}\n`)
}

const names = process.argv.slice(2)
const unknown = names.find((name) => !mutationRooms.some((room) => room.name === name))
if (unknown === undefined) {
  process.chdir(root)
  mkdirSync(join(root, reports), { recursive: true })
  for (const room of mutationRooms) if (names.length === 0 || names.includes(room.name)) await runRoom(room)
} else {
  console.error(`There is no room ${unknown}; there are ${mutationRooms.map(({ name }) => name).join(', ')}.`)
  process.exitCode = 1
}
