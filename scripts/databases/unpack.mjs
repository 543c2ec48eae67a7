// Unpacks programs from Debian's packages into a folder without installing them. The programs run
// with the C library of their own suite, which may be newer than the C library of this machine.
import { readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { run } from '../processes.mjs'

/**
 * Unpacks packages and their dependencies with mmdebstrap, from the mirror that this machine's apt
 * uses.
 *
 * @param suites the names of the suites; the last one is preferred
 * @returns a function that finds an unpacked program and replaces it by a script, which starts the
 *   program with the unpacked C library
 */
export const unpack = async (folder, suites, packages) => {
  const format = ['indextargets', '--format', '$(REPO_URI) $(COMPONENT)', 'Created-By: Packages']
  const targets = (await run('apt-get', format)).split('\n')
  const [mirror] = targets.filter((target) => target.endsWith(' main') && !target.includes('security'))[0].split(' ')
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'
  const args = [
    '--variant=extract',
    `--include=${packages.join(',')}`,
    // A mirror may be older than the time for which its lists are valid.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    `--aptopt=APT::Default-Release "${suites.at(-1)}"`,
    suites[0],
    folder,
    ...suites.map((suite) => `deb [signed-by=${keyring}] ${mirror} ${suite} main`),
  ]
  // Without the program, a mirror or a suite, the databases are unavailable on this machine.
  await run('mmdebstrap', args).catch((error) => {
    throw Object.assign(error, { isUnavailable: true })
  })
  return createFinder(folder, await readdir(folder, { recursive: true }))
}

const createFinder = (folder, paths) => {
  const find = (pattern) => paths.find((path) => pattern.test(path)) ?? ''
  const loader = join(folder, find(/\/ld-linux[^/]*\.so\.\d$/))
  // Older packages have libraries in /lib, newer packages only in /usr/lib.
  const triple = basename(dirname(find(/\/libc\.so\.6$/)))
  const libraries = ['lib', 'usr/lib'].map((path) => join(folder, path, triple)).join(':')

  /** @param as the name of the script, in the folder of the program */
  return async (name, as = name) => {
    const program = join(folder, find(new RegExp(`(^|/)s?bin/${name}$`)))
    // Scripts need no other C library.
    if ((await readFile(program, 'latin1')).startsWith('#!')) return program
    const wrapper = join(dirname(program), as)
    const real = `${wrapper}.real`
    await rename(await realpath(program), real)
    await rm(wrapper, { force: true })
    const start = `exec '${loader}' --argv0 "$0" --library-path '${libraries}' '${real}' "$@"`
    await writeFile(wrapper, `#!/bin/sh\n${start}\n`, { mode: 0o755 })
    return wrapper
  }
}
