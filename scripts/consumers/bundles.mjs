// Bundles the programs of docs/programs.md with the settings of docs/bundlers-and-runtimes.md, and
// runs each bundle in a folder that has no package but bcrypt. Also runs one bundle without the setting
// that declares bcrypt as external, and the quickstart in other runtimes.
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import webpack from 'webpack'
import { run } from '../processes.mjs'
import { readPage } from '../workspace.mjs'
import { findPrograms, readJavaScriptProgram } from './pages.mjs'
import { serveAndRequest } from './run-program.mjs'

const page = readPage('docs/bundlers-and-runtimes.md')
const { resolve } = createRequire(import.meta.url)
// Not the command in `node_modules/.bin`, which also finds the packages of this repository.
const esbuild = `"${process.execPath}" "${resolve('esbuild/bin/esbuild')}"`
const vite = join(resolve('vite/package.json'), '../bin/vite.js')

const bundleWithEsbuild = (cwd, _, command) => run('sh', ['-c', command.replace('npx esbuild', esbuild)], { cwd })

const bundleWithWebpack = async (cwd, file) => {
  // Node caches modules by URL.
  const { default: options } = await import(`${pathToFileURL(join(cwd, file))}?${Math.random()}`)
  const stats = await promisify(webpack)({ ...options, context: cwd })
  if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }))
}

// In a process of its own, because Vite sets NODE_ENV.
const bundleWithVite = (cwd, file) => run(process.execPath, [vite, 'build', '--config', file], { cwd })

const bundles = [
  ...[...page.matchAll(/^npx esbuild .*outfile=dist\/(\S+).*$/gm)].map(([settings, output]) => ({
    title: `esbuild, ${output}`,
    output,
    settings,
    file: 'esbuild.sh',
    bundle: bundleWithEsbuild,
  })),
  ...[...page.matchAll(/^```js\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, file, settings]) => ({
    title: file.split('.')[0],
    output: 'app.mjs',
    settings,
    file,
    bundle: file.startsWith('webpack') ? bundleWithWebpack : bundleWithVite,
  })),
]
const runtimes = [...page.matchAll(/^\|[^|]*\| `([^`]+)` \|[^|]*quickstart/gm)].map(([, command]) => command)
if (bundles.length !== 4 || runtimes.length !== 3) throw new Error('the page does not show the expected commands')

const writePrograms = (cwd) => {
  const compilerOptions = { module: 'nodenext', target: 'es2023', strict: true, types: ['node'] }
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  // The first program with each name is the one that keeps sessions in memory.
  const programs = [...findPrograms('README.md'), readJavaScriptProgram(), ...findPrograms('docs/programs.md')]
  for (const { file, code } of programs.toReversed()) writeFileSync(join(cwd, file), code)
}

/**
 * Bundles the program and copies the bundle to a folder that has no package but bcrypt. Resolves to
 * this folder.
 */
const deploy = async (cwd, { bundle, file, output }, settings) => {
  writePrograms(cwd)
  writeFileSync(join(cwd, file), settings)
  rmSync(join(cwd, 'dist'), { recursive: true, force: true })
  await bundle(cwd, file, settings)
  const target = `${cwd}-deployed`
  rmSync(target, { recursive: true, force: true })
  cpSync(join(cwd, 'dist'), target, { recursive: true })
  cpSync(join(cwd, '.env'), join(target, '.env'))
  mkdirSync(join(target, 'node_modules'))
  for (const name of ['bcrypt', 'node-gyp-build']) {
    symlinkSync(join(cwd, 'node_modules', name), join(target, 'node_modules', name))
  }
  return { cwd: target, start: `node --env-file=.env ${output}` }
}

const checkWithoutExternal = async (cwd, each) => {
  const settings = each.settings.replace(' --external:bcrypt', '')
  if (settings === each.settings) throw new Error('no setting declares bcrypt as external')
  const failing = await deploy(cwd, each, settings)
  // Into a file: Node prints the line of the error, here the whole bundle, and cuts off what a pipe
  // does not take.
  await run('sh', ['-c', `! ${failing.start} 2> stderr.txt`], failing)
  const problem = readFileSync(join(failing.cwd, 'stderr.txt'), 'utf8')
  if (!/the package bcrypt cannot be loaded.*declare bcrypt as external/.test(problem)) throw new Error(problem)
  return 'the error names the fix'
}

/** Returns a check for each bundle and each runtime. */
export const listBundleChecks = () => [
  ...bundles.map((each) => ({
    title: each.title,
    check: async (cwd) => serveAndRequest(await deploy(cwd, each, each.settings)),
  })),
  { title: 'esbuild, without external', check: (cwd) => checkWithoutExternal(cwd, bundles[0]) },
  ...runtimes.map((command) => ({
    title: command,
    check: (cwd) => {
      writePrograms(cwd)
      return serveAndRequest({ cwd, start: command.replace(/^bun/, 'npx bun') })
    },
  })),
]
