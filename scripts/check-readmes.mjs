// Follows the READMEs as a reader would: packs the published packages, installs them into empty folders with the install lines of the
// READMEs, and runs every program that a README shows, unchanged. A server is then used with the curl lines of the first README.
//
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

const folder = mkdtempSync(join(tmpdir(), 'jwt-auth-readme-'))

const main = async () => {
  mkdirSync(join(folder, 'tarballs'))
  const tarballs = await packPackages(join(folder, 'tarballs'))
  const programs = listPrograms()
  for (const program of programs) await tryProgram(program, tarballs)
  await tryWithoutGuard(programs[0], tarballs)
}

/** Every program once, with Express 4 where the README says that it runs there too. */
const listPrograms = () => {
  const readmes = ['README.md', ...publishedPackages().map((each) => join(each.folder, 'README.md'))]
  const shown = readmes.flatMap((readme) => readPrograms(read(readme)).map((program) => ({ ...program, readme })))
  const programs = [
    ...new Map(shown.toReversed().map((each) => [`${each.install}${each.code}`, each])).values(),
  ].reverse()
  return programs.flatMap((program) => {
    if (!program.install.some((line) => line.split(' ').includes('express'))) return program
    return [
      { ...program, title: `${program.title}, Express 5` },
      { ...program, title: `${program.title}, Express 4`, install: program.install.map(toExpress4) },
    ]
  })
}

const toExpress4 = (line) => {
  for (const name of ['express@4', '@types/express@4']) {
    if (!mainReadme.includes(`\`${name}\``)) throw new Error(`README.md does not say how to install ${name}`)
  }
  return line.replaceAll(/(?<= )(@types\/)?express(?= |$)/g, '$&@4')
}

const tryProgram = async (program, tarballs) => {
  const cwd = await installOnce(program.install, tarballs)
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
  console.log(`${program.readme}, ${program.title}: ${facts.join(', ')}`)
}

const installed = new Map()
const quietly = ['--no-audit', '--no-fund', '--prefer-offline']

/** Follows install lines in a folder of their own, with the tarballs in place of our packages. */
const installOnce = async (lines, tarballs) => {
  const known = installed.get(lines.join('\n'))
  if (known !== undefined) return known
  const cwd = join(folder, `reader-${installed.size + 1}`)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }')
  for (const line of lines) {
    const [command, ...args] = line.split(' ').map((word) => tarballs[word] ?? word)
    // npm would look for core, on which our other packages depend, in the registry.
    await run(command, [...args, tarballs['@jwt-auth/core'], ...quietly], { cwd })
  }
  await run('sh', ['-c', secretCommand], { cwd })
  installed.set(lines.join('\n'), cwd)
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
  return [`${curlCommands.length} curl lines printed what the README shows`, 'Ctrl-C stopped it']
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
const tryWithoutGuard = async (program, tarballs) => {
  const cwd = await installOnce(program.install, tarballs)
  const code = program.code.replace(' auth.guard(),', '')
  if (code === program.code) throw new Error(`${program.title} has no auth.guard()`)
  writeFileSync(join(cwd, program.file), code)
  await serve(program, { cwd, env: userEnvironment() }, async (_, port) => {
    const { status } = await fetch(`http://localhost:${port}/reports`)
    if (status !== 500) throw new Error(`without its guard the route responded with ${status}`)
  })
  console.log(`${program.readme}, ${program.title}, without auth.guard(): the route responds with 500`)
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
