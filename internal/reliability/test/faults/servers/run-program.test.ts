import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../../../src/faults/servers/run-program.js'

const runShell = (script: string): Promise<void> =>
  runProgram({ command: '/bin/sh', args: ['-c', script], cwd: tmpdir() })

describe('a program that is run', () => {
  it('leads a process group of its own, which Ctrl-C does not reach', async () => {
    await expect(runShell('test "$(ps -o pgid= -p $$ | tr -d " ")" = "$$"')).resolves.toBeUndefined()
  })

  it('is told of by what it complained about when it fails', async () => {
    await expect(runShell('echo the disk is full >&2; exit 3')).rejects.toThrow('ended with 3: the disk is full')
  })

  it('is told of by its name when it is not there', async () => {
    await expect(runProgram({ command: '/nowhere/initdb', args: [], cwd: tmpdir() })).rejects.toThrow('/nowhere/initdb')
  })
})
