// Uses the packages as applications do: packs them once, installs them from a registry on loopback
// into empty folders, and runs programs, compilers, bundlers, runtimes and every program that a page shows.
//
// Usage: npm run consumers -- [part of a title, such as webpack or SQLite]
// Needs the npm registry, and PostgreSQL and Redis, or reports their programs as not started.
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '../internal/test-support/src/temporary-folder.ts'
import { listBundleChecks } from './consumers/bundles.mjs'
import { findSecretCommand } from './consumers/pages.mjs'
import { listReaderChecks } from './consumers/readers.mjs'
import { compilers, listTypeChecks } from './consumers/types.mjs'
import { packPackages, startRegistry } from './packages.mjs'
import { run } from './processes.mjs'
import { publishedPackages } from './workspace.mjs'

const maxKilobytes = 120

const [, , wanted = ''] = process.argv
const folder = createFolder()

const tarballs = await packPackages(createFolder())
process.env.npm_config_registry = await startRegistry(tarballs)

/** Creates a folder with packages, as a reader of the README does. */
const install = async (name, lines) => {
  const cwd = join(folder, name)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }')
  for (const line of [...lines, findSecretCommand('README.md')]) await run('sh', ['-c', line], { cwd })
  return cwd
}

const checkTarball = async (tarball) => {
  const kilobytes = statSync(tarball).size / 1_000
  if (kilobytes >= maxKilobytes) throw new Error(`it has ${kilobytes} KB, and ${maxKilobytes} are too many`)
  const files = (await run('tar', ['-tzf', tarball])).trim().split('\n')
  const sources = files.filter((file) => /\.map$|(?<!\.d)\.[cm]?ts$/.test(file))
  if (sources.length > 0) throw new Error(`it contains ${sources.join(', ')}`)
  if (!files.includes('package/dist/index.js')) throw new Error('it was packed before it was built')
  return `${kilobytes.toFixed(1)} KB`
}

const entryPoints = publishedPackages().flatMap(({ manifest: { name, publishConfig } }) =>
  Object.entries(publishConfig.exports).flatMap(([path, file]) => (file.import ? [`${name}${path.slice(1)}`] : [])),
)

const listProgramChecks = () => [
  ...['import', 'require'].map((way) => ({
    title: `login, with ${way}`,
    check: async (cwd) => {
      copyFileSync(new URL('./consumers/use-packages.mjs', import.meta.url), join(cwd, 'use-packages.mjs'))
      return run(process.execPath, ['use-packages.mjs', way, ...entryPoints], { cwd })
    },
  })),
  {
    title: '@jwt-auth/storage-conformance',
    check: async (cwd) => {
      writeFileSync(join(cwd, 'adapter.mjs'), "export { memoryStorage as default } from '@jwt-auth/storage-memory'")
      // The command ends with 1, because the adapter exports no storages that fail.
      const stdout = await run('sh', ['-c', 'npx @jwt-auth/storage-conformance adapter.mjs || test $? = 1'], { cwd })
      const [, counts] = /\n(\d+ passed +0 failed)\n/.exec(stdout) ?? []
      if (counts === undefined) throw new Error(stdout)
      return counts
    },
  },
  {
    title: '@jwt-auth/cli doctor, with a configuration in TypeScript',
    check: async (cwd) => {
      copyFileSync(new URL('./consumers/jwt-auth.config.ts', import.meta.url), join(cwd, 'jwt-auth.config.ts'))
      // The command ends with 1, because the sessions are in memory.
      const stdout = await run('sh', ['-c', 'npx @jwt-auth/cli doctor || test $? = 1'], { cwd })
      if (!stdout.endsWith('\n1 problem.\n')) throw new Error(stdout)
      return 'the problem was found'
    },
  },
  {
    title: '@jwt-auth/testing, with jest',
    check: async (cwd) => {
      copyFileSync(new URL('./consumers/guarded-routes.cjs', import.meta.url), join(cwd, 'guarded-routes.test.cjs'))
      await run('npx', ['jest'], { cwd })
      return 'the tests pass'
    },
  },
]

// Bun, jest and ts-node are too large for the dependencies of this repository.
const installed = [
  ...Object.keys(tarballs),
  'express@5 fastify knex libsql redis @node-rs/argon2 tsx typescript@5.9 ts-node@10.9.2 bun@1.4.5 jest@30.5.2',
  '@types/node@20 @types/node26@npm:@types/node@26 @types/better-sqlite3 @types/connect @types/express@5 @types/express4@npm:@types/express@4',
  ...compilers,
]
const groups = [
  { checks: Object.entries(tarballs).map(([title, tarball]) => ({ title, check: () => checkTarball(tarball) })) },
  {
    lines: [`npm install ${installed.join(' ')}`],
    checks: [...listProgramChecks(), ...listTypeChecks(entryPoints), ...listBundleChecks()],
  },
  ...listReaderChecks(),
]

const runGroup = async ({ lines, checks }, number) => {
  const chosen = checks.filter(({ title }) => title.includes(wanted))
  if (chosen.length === 0) return
  const installed = lines && install(`application-${number}`, lines)
  for (const { title, check } of chosen) {
    try {
      console.log(`${title}: ${await check(await installed)}`)
    } catch (error) {
      process.exitCode = 1
      console.error(`FAILED  ${title}: ${error.message.slice(-5_000)}`)
    }
  }
}

// Two at a time: one can install, which waits for the network, while the other runs programs.
const queue = groups.entries()
const runGroups = async () => {
  for (const [number, group] of queue) await runGroup(group, number)
}

await Promise.all([runGroups(), runGroups()])
