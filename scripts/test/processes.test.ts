import { describe, expect, it } from 'vitest'

// The scripts have no types.
const { run } = await import(new URL('../processes.mjs', import.meta.url).href)

describe('run', () => {
  it('resolves to the output when the command ends, and ends a program that the command left running', async () => {
    expect(await run('sh', ['-c', 'sleep 60 & echo output'])).toBe('output\n')
  })

  it('rejects after the time limit, and ends the programs that the command waits for', async () => {
    await expect(run('sh', ['-c', 'sleep 60 | cat'], { timeoutMs: 100 })).rejects.toThrow('SIGKILL')
  })

  it('rejects with the output of a command that fails', async () => {
    await expect(run('sh', ['-c', 'echo output; echo reason >&2; exit 3'])).rejects.toThrow(
      /ended with 3\nreason\n\noutput/,
    )
  })

  it('rejects when there is no such command', async () => {
    await expect(run('jwt-auth-no-such-command', [])).rejects.toThrow('ENOENT')
  })
})
