import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Manifest {
  readonly folder: string
  readonly bin: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
}

const readManifest = (folder: string): Manifest => ({
  bin: {},
  scripts: {},
  ...JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')),
  folder,
})

const workspace = ['packages', 'internal', 'examples'].flatMap((group) =>
  readdirSync(join(root, group))
    .map((name) => `${group}/${name}`)
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map(readManifest),
)
const rootManifest = readManifest('.')

const commands = workspace.flatMap(({ folder, bin }) => Object.values(bin).map((path) => `${folder}/${path}`))
const scripts = [rootManifest, ...workspace].flatMap((manifest) =>
  Object.entries(manifest.scripts).map(([name, script]) => [`${manifest.folder} ${name}`, script] as const),
)

describe('a package manifest', () => {
  it.each(commands)('names a command that a fresh clone contains: %s', (path) => {
    const isIgnored = spawnSync('git', ['check-ignore', '--quiet', path], { cwd: root }).status === 0

    expect([existsSync(join(root, path)), isIgnored]).toEqual([true, false])
  })

  it.each(scripts)('has a script that cmd.exe reads as a POSIX shell does: %s', (_, script) => {
    // Single quotes, expansions, redirections, command lists other than `&&` and `||`, and a
    // variable before a command.
    expect(script).not.toMatch(/['$`;<>%^~]|(?<!&)&(?!&)|(?<!\|)\|(?!\|)|^\w+=/)
  })

  it.each(Object.entries(rootManifest.scripts).filter(([, script]) => /(^|&& )exec /.test(script)))(
    'runs the setup, which provides exec on Windows, before %s',
    (name) => {
      expect(rootManifest.scripts[`pre${name}`]).toBe('node scripts/setup.mjs')
    },
  )
})

describe('the setup', () => {
  it('provides exec for npm scripts on Windows, and nothing on other systems', () => {
    const folder = mkdtempSync(join(tmpdir(), 'jwt-auth-setup-'))
    try {
      cpSync(join(root, 'scripts/setup.mjs'), join(folder, 'scripts/setup.mjs'))
      cpSync(join(root, 'pnpm-lock.yaml'), join(folder, 'pnpm-lock.yaml'))
      cpSync(join(root, 'pnpm-lock.yaml'), join(folder, 'node_modules/.pnpm/lock.yaml'))
      mkdirSync(join(folder, 'node_modules/.bin'))
      const commandsOn = (platform: string): readonly string[] => {
        const pretend = `data:text/javascript,Object.defineProperty(process,'platform',{value:'${platform}'})`
        const { stderr } = spawnSync(process.execPath, ['--import', pretend, 'scripts/setup.mjs'], {
          cwd: folder,
          encoding: 'utf8',
        })
        expect(stderr).toBe('')
        return readdirSync(join(folder, 'node_modules/.bin'))
      }

      expect(commandsOn('linux')).toEqual([])
      expect(commandsOn('win32')).toEqual(['exec.cmd'])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
