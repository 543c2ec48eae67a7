import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../src/own-server.js'

const runShell = (script: string): Promise<void> =>
  runProgram({ command: '/bin/sh', args: ['-c', script] }, { folder: tmpdir(), user: undefined })

describe('runProgram', () => {
  it('starts the program in its own process group, which Ctrl-C does not reach', async () => {
    // A group has the id of its leader. `kill` is part of the shell.
    await expect(runShell('kill -s 0 -- -$$')).resolves.toBeUndefined()
  })

  it('rejects with the stderr of a program that fails', async () => {
    await expect(runShell('echo the disk is full >&2; exit 3')).rejects.toThrow('ended with 3: the disk is full')
  })

  it('rejects with the path of a program that does not exist', async () => {
    const run = runProgram({ command: '/nowhere/initdb', args: [] }, { folder: tmpdir(), user: undefined })
    await expect(run).rejects.toThrow('/nowhere/initdb')
  })
})
