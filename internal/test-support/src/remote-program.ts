import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createBirpc } from 'birpc'

/** A program in its own process, and its functions. */
export type RemoteProgram<Functions extends object> = ReturnType<typeof startRemoteProgram<Functions>>

/** The end of a program. */
export type ProgramEnding = Awaited<ReturnType<typeof awaitEnd>>

const longestStderr = 10_000

/**
 * Starts a program of `bundlePrograms` that calls {@link serveParent}. The caller must end it. It
 * also ends with this process.
 *
 * @param args flags of Node, the path of the bundle, and the arguments of the program
 */
export const startRemoteProgram = <Functions extends object>(args: readonly string[]) => {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    // Ctrl-C at a terminal reaches the whole process group. The parent decides which processes to
    // end.
    detached: true,
  })
  const ended = awaitEnd(child)
  /**
   * Calls the functions of the program. A call rejects with the error of the function, or when the
   * program has ended.
   */
  const call = createBirpc<Functions>(
    {},
    {
      // The program may have ended. Then its end rejects the call.
      post: (message) => child.send(message, () => {}),
      on: (receive) => child.on('message', receive),
      timeout: -1,
    },
  )
  void ended.then(({ code, signal, stderr }) =>
    call.$close(new Error(`The program ended (${code ?? signal}): ${stderr}`)),
  )
  /** Sends a signal and waits for the end. */
  const end = (signal: NodeJS.Signals): Promise<ProgramEnding> => {
    child.kill(signal)
    return ended
  }
  return { call, processId: child.pid ?? 0, ended, end, close: () => end('SIGKILL') }
}

const awaitEnd = async (child: ChildProcess) => {
  // The last characters that the program wrote to stderr.
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr = (stderr + text).slice(-longestStderr)
  })
  await once(child, 'close')
  return { code: child.exitCode, signal: child.signalCode, stderr }
}

/** Lets the parent process call functions of this process. This process ends with its parent. */
export const serveParent = <Functions extends object>(functions: Functions): void => {
  process.once('disconnect', () => process.exit(1))
  createBirpc<object, Functions>(functions, {
    // The parent may have ended in the meantime.
    post: (message) => process.send?.(message, () => {}),
    on: (receive) => process.on('message', receive),
  })
}
