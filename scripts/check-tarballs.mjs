// Packs the published packages, prints the size of each tarball, and checks that none is too large and that none contains source maps.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packPackages } from './pack-packages.mjs'
import { run } from './processes.mjs'

const mostKilobytes = 120

const folder = mkdtempSync(join(tmpdir(), 'jwt-auth-tarballs-'))
const fail = (message) => {
  console.error(message)
  process.exitCode = 1
}

try {
  for (const [name, tarball] of Object.entries(await packPackages(folder))) {
    const kilobytes = statSync(tarball).size / 1_000
    console.log(`${kilobytes.toFixed(1).padStart(6)} KB  ${name}`)
    if (kilobytes >= mostKilobytes) fail(`${name} has ${mostKilobytes} KB or more`)
    const files = (await run('tar', ['-tzf', tarball])).trim().split('\n')
    const isSource = (file) => /\.map$|(?<!\.d)\.[cm]?ts$/.test(file)
    for (const file of files.filter(isSource)) fail(`${name} contains ${file}`)
    if (!files.some((file) => file.endsWith('/dist/index.js'))) fail(`${name} was packed before it was built`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
