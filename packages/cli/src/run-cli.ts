import manifest from '@jwt-auth/cli/package.json' with { type: 'json' }
import { isAuthError } from '@jwt-auth/express'
import { Command, CommanderError, Option } from 'commander'
import { copySessions } from './commands/copy-sessions.js'
import { explain } from './commands/explain.js'
import { generateKey, generateSecret, keyAlgorithms } from './commands/keys.js'
import { migrate } from './commands/migrate.js'
import { listSessions, parseInstant, parseUserId, revokeAll, revokeSession, toCount } from './commands/sessions.js'
import { type CliConfig, createService, loadConfig, type Service } from './config.js'
import { runDoctor } from './doctor/run-doctor.js'
import { callInTime, type Result, readStdin, requireConsent, type Terminal, UsageError } from './terminal.js'

type ExitCode = 0 | 1 | 2 | 130

const help = `
Exit codes: 0 success, 1 a failure or a problem that was found, 2 wrong usage or configuration, 130 interrupted.

The configuration is the module jwt-auth.config.ts (or .mts, .js, .mjs, .cjs) in the working directory. Its default export, or
what its default function returns, is { options, close }: the options of jwtAuth, and a function that closes the database clients.
`

/** Runs a command line. Resolves to the exit code. Never rejects. */
export const runCli = async (args: readonly string[], terminal: Terminal): Promise<ExitCode> => {
  const { stderr, signal } = terminal
  try {
    const results: Result[] = []
    const program = createProgram(terminal, (result) => results.push(result))
    await program.parseAsync(toOperandsLast(args), { from: 'user' })
    const isJson = program.opts()['json'] === true
    for (const { text, json } of results) {
      terminal.stdout.write(`${toPrintable(isJson ? JSON.stringify(json, undefined, 2) : text)}\n`)
    }
    return results.some(({ isProblem }) => isProblem) ? 1 : 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (signal.aborted) {
      stderr.write('Interrupted. Completed batches are kept: run the command again to continue.\n')
      return 130
    }
    stderr.write(`jwt-auth: ${toPrintable(describeError(error))}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

// The id of a session may start like an option. Commander reads no options after `--`.
const toOperandsLast = (args: readonly string[]): readonly string[] => {
  const isId = (arg: string): boolean => /^-[\w-]{21}$/.test(arg)
  if (args.includes('--') || !args.some(isId)) return args
  return [...args.filter((arg) => !isId(arg)), '--', ...args.filter(isId)]
}

// Clients choose user agents, tokens and addresses. Their control and format characters must not
// reach a terminal.
const toPrintable = (text: string): string =>
  text.replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, (character) => character.replace(/[\s\S]/g, toEscape))

const toEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

const describeError = (error: unknown): string => {
  const message = (error instanceof Error ? error.message : String(error)).replace(/^jwt-auth: /, '')
  if (!isAuthError(error)) return message
  return [message, error.detail, error.cause && describeError(error.cause)].filter(Boolean).join(' ')
}

/** Creates the commands. Also the source of docs/reference/command-line.md. */
export const createProgram = (terminal: Terminal, onResult: (result: Result) => void): Command => {
  const program = new Command('npx @jwt-auth/cli')
  const withConfig = async (run: (config: CliConfig) => Promise<Result>): Promise<void> => {
    const config = await loadConfig(program.opts()['config'])
    try {
      onResult(await run(config))
    } finally {
      // The connections end with the process, also if they still wait for a response.
      await callInTime(terminal, 'close', async () => config.close?.()).catch(() => {})
    }
  }
  const withService = (run: (service: Service) => Promise<Result>): Promise<void> =>
    withConfig(async ({ options }) => {
      const service = createService(options, terminal)
      const result = await run(service)
      await service.auth.close()
      terminal.signal.throwIfAborted()
      return result
    })

  program
    .description('Commands for a service of jwt-auth')
    .option('--config <file>', 'the module of configuration')
    .version(manifest.version, '--version', 'print the version')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', help)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
  program
    .command('secret')
    .description('generate a value for the option `secret`')
    .action(() => onResult(generateSecret()))
  program
    .command('keys')
    .command('generate')
    .description('generate a private key for the option `keys`')
    .addOption(new Option('--algorithm <name>').choices(keyAlgorithms).default('ES256'))
    .action(async ({ algorithm }) => onResult(await generateKey(algorithm)))
  program
    .command('migrate')
    .description('create or update the tables of the sessions')
    .option('--print', 'print the SQL and change nothing')
    .action(({ print }) => withConfig(({ options }) => migrate(options.storage, print === true)))
  program
    .command('explain')
    .description(
      'read an access or refresh token from standard input, and say which check refuses it, and what happened to its session and its user; uses up nothing, and prints no usable token',
    )
    .action(() => withService(async (service) => explain(service, await readStdin(terminal, 'token'), terminal.now())))
  program
    .command('doctor')
    .description(
      'check the options, the stores of sessions, limits and users, the schema, the durability and isolation settings and the clock of the database, the purge, whether clients can choose their address, the certificate of the issuer, and the versions of the packages',
    )
    .action(() => withConfig((config) => runDoctor(config, terminal)))
  const sessions = program.command('sessions').description('sessions of the configured issuer')
  addSessionCommands(sessions, terminal, withService)
  sessions
    .command('copy')
    .description(
      'copy active sessions to the store of another configuration, with what changed since an earlier copy, and compare both stores',
    )
    .requiredOption('--to <file>', 'the module of the other configuration')
    .action(({ to }) =>
      withService(async ({ options }) => {
        const target = await loadConfig(to)
        try {
          createService(target.options, terminal, `${to}: `)
          return await copySessions(options, target.options, terminal)
        } finally {
          if (target.options !== options) await target.close?.()
        }
      }),
    )
  return program
}

type WithService = (run: (service: Service) => Promise<Result>) => Promise<void>

const addSessionCommands = (sessions: Command, terminal: Terminal, withService: WithService): void => {
  const user = ['<user-id>', 'a whole number, or text; text of digits in double quotes'] as const
  const consent = ['--yes', 'end without a question'] as const
  sessions.hook('preAction', async (_, command) => {
    const isEnding = command.options.some(({ long }) => long === '--yes')
    if (!isEnding || command.opts()['yes'] === true) return
    await requireConsent(terminal, `End the sessions of \`${command.name()} ${command.args.join(' ')}\`?`)
  })
  sessions
    .command('list')
    .description('list active sessions')
    .argument(...user, parseUserId)
    .option('--ended', 'also list sessions that have ended, and why')
    .action((userId, { ended }) => withService((service) => listSessions(service, userId, ended === true)))
  sessions
    .command('revoke')
    .description('end one session')
    .argument(...user, parseUserId)
    .argument('<session-id>')
    .option(...consent)
    .action((userId, sessionId) => withService((service) => revokeSession(service, userId, sessionId)))
  sessions
    .command('revoke-all')
    .description('end all sessions of a user')
    .argument(...user, parseUserId)
    .option('--reason <text>', 'the stored reason, 1 to 64 characters')
    .option(...consent)
    .action((userId, { reason }) => withService((service) => revokeAll(service, userId, reason)))
  sessions
    .command('revoke-all-created-before')
    .description('end all sessions that were opened before an instant')
    .argument('<instant>', '2026-01-31T12:00:00Z, or now', (text) => parseInstant(text, terminal.now))
    .option(...consent)
    .action((instant) =>
      withService(async ({ auth }) => toCount('ended', await auth.sessions.revokeAllCreatedBefore(instant))),
    )
  sessions
    .command('purge')
    .description('delete sessions whose last token expired at least a day ago')
    .action(() => withService(async ({ auth }) => toCount('deleted', await auth.sessions.purge())))
}
