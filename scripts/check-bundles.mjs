// Bundles the programs of docs/programs.md with the settings of docs/bundlers-and-runtimes.md, and runs each bundle in a folder that has
// no package but bcrypt. Also runs a bundle without the line that declares bcrypt as external, and the quickstart in other runtimes.
//
// Usage: node scripts/check-bundles.mjs [part of a title, such as webpack]
// Needs the npm registry for the packages that an application installs.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build as buildWithVite } from 'vite'
import webpack from 'webpack'
import { packPackages } from './pack-packages.mjs'
import { run } from './processes.mjs'
import { findCurlCommands, findPrograms, findSecretCommand, findShortenedVariables } from './readmes/pages.mjs'
import { runProgram } from './readmes/run-program.mjs'
import { root } from './workspace.mjs'

const [wanted = ''] = process.argv.slice(2)

const read = (path) => readFileSync(join(root, path), 'utf8')
const page = read('docs/bundlers-and-runtimes.md')
const mainReadme = read('README.md')
const commands = { curl: findCurlCommands(mainReadme), shortenedVariables: findShortenedVariables(mainReadme) }

// What the page shows, and what its readers install. Bun and ts-node are too large for the dependencies of this repository.
const shellCommands = [...page.matchAll(/^npx esbuild .*$/gm)].map(([line]) => line)
const configurations = [...page.matchAll(/^```js\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, file, code]) => ({
  file,
  code,
}))
const runtimes = [...page.matchAll(/^\|[^|]*\| `([^`]+)` \|[^|]*quickstart/gm)].map(([, command]) => command)
const installed = [
  'express',
  'tsx',
  'typescript@5.9',
  'ts-node@10.9.2',
  'bun@1.4.5',
  '@types/express',
  '@types/node@20',
]

const folder = mkdtempSync(join(tmpdir(), 'jwt-auth-bundles-'))
const application = join(folder, 'application')
// Not the command in `node_modules/.bin`, which also finds the packages of this repository.
const esbuild = `"${process.execPath}" "${createRequire(import.meta.url).resolve('esbuild/bin/esbuild')}"`

const install = async () => {
  mkdirSync(join(folder, 'tarballs'))
  mkdirSync(application)
  const tarballs = await packPackages(join(folder, 'tarballs'))
  const ours = ['core', 'express', 'storage-memory'].map((name) => tarballs[`@jwt-auth/${name}`])
  writeFileSync(join(application, 'package.json'), '{ "private": true }')
  writeFileSync(
    join(application, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { module: 'nodenext', target: 'es2023', strict: true, types: ['node'] } }),
  )
  await run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', ...ours, ...installed], {
    cwd: application,
  })
  for (const { file, code } of [...findPrograms(mainReadme), ...findPrograms(read('docs/programs.md'))].toReversed()) {
    // The first program with each name is the one that keeps sessions in memory.
    writeFileSync(join(application, file), code)
  }
  await run('sh', ['-c', findSecretCommand(mainReadme)], { cwd: application })
}

const bundleWithWebpack = async (file, code) => {
  const path = join(application, file)
  writeFileSync(path, code)
  const { default: options } = await import(`${pathToFileURL(path)}?${code.length}`)
  const stats = await new Promise((resolve, reject) => {
    webpack({ ...options, context: application }, (error, result) => (error ? reject(error) : resolve(result)))
  })
  if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }))
}

const bundleWithVite = async (file, code) => {
  writeFileSync(join(application, file), code)
  await buildWithVite({ root: application, configFile: join(application, file), logLevel: 'error' })
}

const bundles = [
  ...shellCommands.map((command) => ({
    title: `esbuild, ${command.includes('--format=esm') ? 'ES module' : 'CommonJS'}`,
    output: command.includes('app.mjs') ? 'app.mjs' : 'app.cjs',
    bundle: (text) => run('sh', ['-c', text.replace('npx esbuild', esbuild)], { cwd: application }),
    settings: command,
    external: / --external:bcrypt/,
  })),
  ...configurations.map(({ file, code }) => ({
    title: file.split('.')[0],
    output: 'app.mjs',
    bundle: (text) => (file.startsWith('webpack') ? bundleWithWebpack : bundleWithVite)(file, text),
    settings: code,
    external: /^ *external.*bcrypt.*\n/m,
  })),
]

/** Bundles the program and copies the bundle to a folder that has no package but bcrypt. Resolves to this folder. */
const deploy = async ({ title, bundle }, settings, suffix) => {
  rmSync(join(application, 'dist'), { recursive: true, force: true })
  await bundle(settings)
  const target = join(folder, `${title}${suffix}`.replaceAll(/\W+/g, '-'))
  cpSync(join(application, 'dist'), target, { recursive: true })
  cpSync(join(application, '.env'), join(target, '.env'))
  mkdirSync(join(target, 'node_modules'))
  for (const name of ['bcrypt', 'node-gyp-build']) {
    symlinkSync(join(application, 'node_modules', name), join(target, 'node_modules', name))
  }
  return target
}

const serveAs = async (title, start, cwd) => {
  const program = { title, start, code: '', output: 'listening on http://localhost:3000' }
  const facts = await runProgram(program, { cwd, variables: {} }, commands)
  console.log(`${title}: ${facts.join(', ')}`)
}

const checkBundle = async (each) => {
  const start = `node --env-file=.env ${each.output}`
  await serveAs(each.title, start, await deploy(each, each.settings, ''))

  const settings = each.settings.replace(each.external, '')
  if (settings === each.settings) throw new Error(`${each.title}: no line declares bcrypt as external`)
  const cwd = await deploy(each, settings, ' without external')
  // Into a file: Node prints the line of the error, here the whole bundle, and cuts off what a pipe does not take.
  const failing = `node --env-file=.env ${each.output} 2> stderr.txt`
  const hasFailed = await run('sh', ['-c', failing], { cwd }).then(
    () => false,
    () => true,
  )
  const problem = readFileSync(join(cwd, 'stderr.txt'), 'utf8')
  const isExplained = /the package bcrypt cannot be loaded.*declare bcrypt as external/.test(problem)
  if (!hasFailed || !isExplained) throw new Error(`${each.title} without external:\n${problem.slice(-3_000)}`)
  console.log(`${each.title}, without external: the error names the fix`)
}

try {
  await install()
  for (const each of bundles.filter(({ title }) => title.includes(wanted))) await checkBundle(each)
  for (const command of runtimes.filter((each) => each.includes(wanted))) {
    await serveAs(command, command.replace(/^bun/, 'npx bun'), application)
  }
  if (bundles.length !== 4 || runtimes.length !== 3) throw new Error('the page does not show the expected commands')
} catch (error) {
  console.error(error.message.slice(0, 5_000))
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
