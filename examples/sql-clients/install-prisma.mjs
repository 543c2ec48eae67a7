// Installs Prisma into the cache of this repository and generates a client there, for the tests. Prisma with its tools has 300 MB, so the
// workspace does not depend on it.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cwd = fileURLToPath(new URL('../../node_modules/.cache/prisma', import.meta.url))
const version = '7.10.0'
const shell = process.platform === 'win32'

mkdirSync(cwd, { recursive: true })
copyFileSync(new URL('schema.prisma', import.meta.url), join(cwd, 'schema.prisma'))
writeFileSync(join(cwd, 'package.json'), '{ "private": true }')
const packages = ['prisma', '@prisma/client', '@prisma/adapter-pg'].map((name) => `${name}@${version}`)
const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...packages]
execFileSync('npm', install, { cwd, shell, stdio: 'ignore' })
// The engine that Prisma would download only runs migrations of Prisma.
const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath }
execFileSync('npx', ['prisma', 'generate', '--schema', 'schema.prisma'], { cwd, env, shell, stdio: 'inherit' })
