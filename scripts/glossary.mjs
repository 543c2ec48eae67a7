// Prints the lines that contain a word from the left column of the table in CONTRIBUTING.md. The
// table is advice, so the exit code is always 0.
import { spawnSync } from 'node:child_process'
import { readPage, root } from './workspace.mjs'

const [, table] = readPage('CONTRIBUTING.md').split('| Do not write | Write |\n|---|---|\n')
const leftCells = [...table.split('\n\n')[0].matchAll(/^\|([^|(]*)/gm)].map(([, cell]) => cell)
const words = leftCells.join().split(',')
const patterns = words.map((word) => `${word.trim().replaceAll(/s\b/g, 's?')}s?`)
// Texts of others, and a list of passwords.
const exempt = ['CONTRIBUTING.md', 'pnpm-lock.yaml', '*/vectors/*', '*/routes/account.ts']
const options = ['--untracked', '--line-number', '--word-regexp', '--ignore-case', '--extended-regexp']
const args = ['grep', ...options, patterns.join('|'), '--', ...exempt.map((path) => `:!${path}`)]
const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
if (stdout) console.log(`Warning: CONTRIBUTING.md proposes other words for these:\n${stdout}`)
