// Follows the READMEs and docs/programs.md as a reader would: packs the published packages, installs them into empty folders with the
// install lines of these pages, and runs every program that a page shows, unchanged. Uses each server with the curl commands of README.md.
//
// Usage: node scripts/check-readmes.mjs [part of a title, such as SQLite]
// Needs the npm registry. Programs for PostgreSQL and Redis need a server. With REQUIRE_DATABASES=1, a missing server is a failure.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packPackages } from './pack-packages.mjs'
import { run } from './processes.mjs'
import { findCurlCommands, findPrograms, findSecretCommand, findShortenedVariables } from './readmes/pages.mjs'
import { runProgram } from './readmes/run-program.mjs'
import { prepareStore } from './readmes/stores.mjs'
import { publishedPackages, root } from './workspace.mjs'

const read = (path) => readFileSync(join(root, path), 'utf8')
const mainReadme = read('README.md')
const secretCommand = findSecretCommand(mainReadme)
const commands = {
  curl: findCurlCommands(mainReadme),
  shortenedVariables: findShortenedVariables(mainReadme),
}

const [wanted = ''] = process.argv.slice(2)

const strictOptions = {
  module: 'nodenext',
  target: 'es2023',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: false,
  noEmit: true,
}

// Two readers at a time: one can install, which waits for the network, while the other runs programs, which needs the processor.
const concurrency = 2

const folder = mkdtempSync(join(tmpdir(), 'jwt-auth-readme-'))

const main = async () => {
  mkdirSync(join(folder, 'tarballs'))
  const tarballs = await packPackages(join(folder, 'tarballs'))
  const readers = groupByInstall(listPrograms().filter(({ title }) => title.includes(wanted)))
  if (readers.length === 0) throw new Error(`no program has "${wanted}" in its title`)
  const runs = await Promise.allSettled(Array.from({ length: concurrency }, () => checkReaders(readers, tarballs)))
  for (const { reason } of runs) if (reason !== undefined) throw reason
}

/** Checks one reader after the other until the list is empty. Empties the list after a failure. */
const checkReaders = async (readers, tarballs) => {
  for (let reader = readers.shift(); reader !== undefined; reader = readers.shift()) {
    try {
      const cwd = await followInstall(reader, tarballs)
      for (const program of reader.programs) await checkProgram(program, cwd)
    } catch (error) {
      readers.length = 0
      throw error
    }
  }
}

/** Returns one reader for all programs with the same install lines. */
const groupByInstall = (programs) => {
  const readers = new Map()
  for (const program of programs) {
    const key = program.install.join('\n')
    const { programs: known } = readers.get(key) ?? { programs: [] }
    readers.set(key, { install: program.install, programs: [...known, program] })
  }
  return [...readers.values()].map((reader, number) => ({ ...reader, number }))
}

/** Returns every program once, and once more for Express 4 if the program installs Express. */
const listPrograms = () => {
  const programs = new Map()
  const packagePages = publishedPackages().map((each) => `${each.folder}/README.md`)
  for (const page of ['README.md', 'docs/programs.md', ...packagePages]) {
    const markdown = read(page)
    requireKnownCommands(page, markdown)
    for (const program of findPrograms(markdown)) {
      const key = JSON.stringify([program.install, program.code, program.start])
      const known = programs.get(key)
      programs.set(key, known ? { ...known, pages: [...known.pages, page] } : { ...program, pages: [page] })
    }
  }
  return [...programs.values()].flatMap((program) => {
    if (!program.install.some((line) => line.split(' ').includes('express'))) return program
    return [
      { ...program, title: `${program.title}, Express 5` },
      { ...program, title: `${program.title}, Express 4`, install: program.install.map(toExpress4) },
    ]
  })
}

// Only the commands of README.md are run. The other pages may repeat them.
const requireKnownCommands = (page, markdown) => {
  const known = commands.curl.map(({ command }) => command)
  const areKnown = findCurlCommands(markdown).every(({ command }) => known.includes(command))
  const hasSecret = markdown.includes('JWT_AUTH_SECRET')
  if (!areKnown || (hasSecret && findSecretCommand(markdown) !== secretCommand)) {
    throw new Error(`${page} shows a command that README.md does not show`)
  }
}

const toExpress4 = (line) => {
  for (const name of ['express@4', '@types/express@4']) {
    if (!mainReadme.includes(`\`${name}\``)) throw new Error(`README.md does not say how to install ${name}`)
  }
  return line.replaceAll(/(?<= )(@types\/)?express(?= |$)/g, '$&@4')
}

/** Runs the install lines in a new folder, with the tarballs in place of the published packages, and creates the secret. */
const followInstall = async ({ number, install }, tarballs) => {
  const cwd = join(folder, `reader-${number}`)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }')
  for (const line of install) {
    const [command, ...args] = line.split(' ').map((word) => tarballs[word] ?? word)
    // The other packages depend on these two, which npm would look for in the registry.
    const options = [
      tarballs['@jwt-auth/core'],
      tarballs['@jwt-auth/storage-sql'],
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
    ]
    await run(command, [...args, ...options], { cwd })
  }
  await run('sh', ['-c', secretCommand], { cwd })
  return cwd
}

const checkProgram = async (program, cwd) => {
  writeFileSync(join(cwd, program.file), program.code)
  const facts = []
  if (program.file.endsWith('.mts')) {
    writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions: strictOptions, files: [program.file] }))
    await run(join(cwd, 'node_modules', '.bin', 'tsc'), [], { cwd })
    facts.push('types pass')
  }
  const store = await prepareStore(program.code, cwd)
  if (store === undefined) {
    if (process.env.REQUIRE_DATABASES === '1') throw new Error(`${program.title}: no database server listens`)
    facts.push('NOT STARTED: no database server listens')
  } else {
    try {
      facts.push(...(await runProgram(program, { cwd, variables: store.variables }, commands)))
    } finally {
      await store.drop()
    }
  }
  console.log(`${program.pages.join(', ')}: ${program.title}: ${facts.join(', ')}`)
}

try {
  await main()
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
