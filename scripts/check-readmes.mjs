// Follows the READMEs and docs/programs.md as a reader would: packs the published packages, installs them into empty folders with the
// install lines of these pages, and runs every program that a page shows, unchanged. A server is then used with the curl lines of the
// first README.
//
// Usage: node scripts/check-readmes.mjs [part of a title, such as SQLite]
// Needs the npm registry. Programs for PostgreSQL and Redis need a server; REQUIRE_DATABASES=1 makes a missing one a failure.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packPackages } from './pack-packages.mjs'
import { run, startServer, userEnvironment } from './processes.mjs'
import {
  isAsShown,
  readCurlCommands,
  readPrograms,
  readSecretCommand,
  readShortenedVariables,
} from './readme-programs.mjs'
import { prepareStore } from './readme-stores.mjs'
import { publishedPackages, root } from './workspace.mjs'

const read = (path) => readFileSync(join(root, path), 'utf8')
const mainReadme = read('README.md')
const secretCommand = readSecretCommand(mainReadme)
const curlCommands = readCurlCommands(mainReadme)
const shortenedVariables = readShortenedVariables(mainReadme)

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

// Installing waits for the network, and running for the processor.
const laneCount = 2

const folder = mkdtempSync(join(tmpdir(), 'jwt-auth-readme-'))

const main = async () => {
  mkdirSync(join(folder, 'tarballs'))
  const tarballs = await packPackages(join(folder, 'tarballs'))
  const readers = groupByInstall(listPrograms().filter(({ title }) => title.includes(wanted)))
  if (readers.length === 0) throw new Error(`no program has "${wanted}" in its title`)
  const lanes = await Promise.allSettled(Array.from({ length: laneCount }, () => tryReaders(readers, tarballs)))
  for (const { reason } of lanes) if (reason !== undefined) throw reason
}

/** Takes one reader after the other from the list, until it is empty. Empties it after a failure. */
const tryReaders = async (readers, tarballs) => {
  for (let reader = readers.shift(); reader !== undefined; reader = readers.shift()) {
    try {
      const cwd = await followInstall(reader, tarballs)
      for (const program of reader.programs) await tryProgram(program, cwd)
    } catch (error) {
      readers.length = 0
      throw error
    }
  }
}

/** One reader for all programs with the same install lines. */
const groupByInstall = (programs) => {
  const readers = new Map()
  for (const program of programs) {
    const key = program.install.join('\n')
    const { programs: known } = readers.get(key) ?? { programs: [] }
    readers.set(key, { install: program.install, programs: [...known, program] })
  }
  return [...readers.values()].map((reader, number) => ({ ...reader, number }))
}

/** Every program once, with Express 4 too where the README says that it runs there. */
const listPrograms = () => {
  const programs = new Map()
  for (const readme of [
    'README.md',
    'docs/programs.md',
    ...publishedPackages().map((each) => `${each.folder}/README.md`),
  ]) {
    const markdown = read(readme)
    requireKnownCommands(readme, markdown)
    for (const program of readPrograms(markdown)) {
      const key = JSON.stringify([program.install, program.code, program.start])
      const known = programs.get(key)
      programs.set(key, known ? { ...known, readmes: [...known.readmes, readme] } : { ...program, readmes: [readme] })
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

/** The npm pages repeat commands of the first README, which alone are run. */
const requireKnownCommands = (readme, markdown) => {
  const repeated = readCurlCommands(markdown).map(({ command }) => command)
  const known = curlCommands.map(({ command }) => command)
  const hasSecret = markdown.includes('JWT_AUTH_SECRET')
  if (
    !repeated.every((command) => known.includes(command)) ||
    (hasSecret && readSecretCommand(markdown) !== secretCommand)
  ) {
    throw new Error(`${readme} shows a command that README.md does not show`)
  }
}

const toExpress4 = (line) => {
  for (const name of ['express@4', '@types/express@4']) {
    if (!mainReadme.includes(`\`${name}\``)) throw new Error(`README.md does not say how to install ${name}`)
  }
  return line.replaceAll(/(?<= )(@types\/)?express(?= |$)/g, '$&@4')
}

const tryProgram = async (program, cwd) => {
  writeFileSync(join(cwd, program.file), program.code)
  const facts = []
  if (program.file.endsWith('.mts')) {
    writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions: strictOptions, files: [program.file] }))
    await run(join(cwd, 'node_modules', '.bin', 'tsc'), [], { cwd })
    facts.push('types pass')
  }
  const store = await prepareStore(program.code, cwd)
  if (store === undefined) {
    if (process.env.REQUIRE_DATABASES === '1') throw new Error(`${program.title}: its database server does not listen`)
    facts.push('NOT STARTED: its database server does not listen')
  } else {
    try {
      facts.push(...(await startProgram(program, cwd, store.variables)))
    } finally {
      await store.drop()
    }
  }
  console.log(`${program.readmes.join(', ')}: ${program.title}: ${facts.join(', ')}`)
}

const quietly = ['--no-audit', '--no-fund', '--prefer-offline']

/** Follows install lines in a folder of their own, with the tarballs in place of our packages, and creates the secret. */
const followInstall = async ({ number, install }, tarballs) => {
  const cwd = join(folder, `reader-${number}`)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }')
  for (const line of install) {
    const [command, ...args] = line.split(' ').map((word) => tarballs[word] ?? word)
    // npm would look for core, on which our other packages depend, in the registry.
    await run(command, [...args, tarballs['@jwt-auth/core'], ...quietly], { cwd })
  }
  await run('sh', ['-c', secretCommand], { cwd })
  return cwd
}

const startProgram = async (program, cwd, variables) => {
  const [command, ...args] = program.start.split(' ')
  if (!program.output.startsWith('listening on')) {
    const stdout = await run(command, args, { cwd, env: { ...userEnvironment(), ...variables } })
    if (!isAsShown(stdout.trim(), program.output || stdout.trim()))
      throw new Error(`${program.title} printed\n${stdout}`)
    return ['ran to its end']
  }
  const env = { ...userEnvironment(), ...variables }
  const port = await serve(program, { cwd, env }, useServer)
  if (!(await isFree(port))) throw new Error(`${program.title}: the port is still taken after Ctrl-C`)
  const facts = [`${curlCommands.length} curl lines printed what the README shows`, 'Ctrl-C stopped it']
  if (!program.code.includes(' auth.guard(),')) return facts
  await tryWithoutGuard(program, { cwd, env })
  return [...facts, '500 without its guard']
}

/** Starts a program on a free port, uses it, and stops it with Ctrl-C. Returns the port. */
const serve = async ({ title, start, output }, { cwd, env }, use) => {
  const [command, ...args] = start.split(' ')
  const port = await findFreePort()
  const readyText = output.replace('3000', port)
  const server = await startServer(command, args, { cwd, env: { ...env, PORT: `${port}` }, readyText })
  try {
    await use(cwd, port)
  } catch (error) {
    throw new Error(`${title}: ${error.message}\nThe program printed:\n${server.output.all}`)
  } finally {
    await server.stop()
  }
  return port
}

/** A reader who forgets the guard must not serve the route to anybody. */
const tryWithoutGuard = async (program, { cwd, env }) => {
  writeFileSync(join(cwd, program.file), program.code.replace(' auth.guard(),', ''))
  await serve(program, { cwd, env }, async (_, port) => {
    const { status } = await fetch(`http://localhost:${port}/reports`)
    if (status !== 500) throw new Error(`without its guard the route responded with ${status}`)
  })
}

/** Sends the curl lines of the README and compares what each prints, and the status. */
const useServer = async (cwd, port) => {
  // curl reads its configuration from here, and writes down the status line.
  writeFileSync(join(cwd, '.curlrc'), `dump-header = "${join(cwd, 'headers.txt')}"\n`)
  const env = { ...userEnvironment(), CURL_HOME: cwd }
  for (const { command, prints } of curlCommands) {
    const stdout = await run('sh', ['-c', command.replaceAll('localhost:3000', `localhost:${port}`)], { cwd, env })
    if (!isAsShown(stdout, `${prints}\n`)) throw new Error(`${command}\nprinted ${stdout}instead of ${prints}`)
    const status = JSON.parse(prints).data?.status ?? 200
    const statusLine = readFileSync(join(cwd, 'headers.txt'), 'utf8').split('\n')[0]
    if (!statusLine.includes(` ${status} `)) throw new Error(`${command}\nresponded with ${statusLine}`)
    fillVariables(env, JSON.parse(stdout))
  }
}

/** Copies the tokens of the login into the variables, as the reader does. */
const fillVariables = (env, body) => {
  for (const [name, beginning] of Object.entries(shortenedVariables)) {
    env[name] ??= Object.values(body).find((value) => typeof value === 'string' && value.startsWith(beginning))
  }
}

const findFreePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })

try {
  await main()
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
