import { parseEnvironment, StartError } from './environment.js'
import { startHost } from './host.js'
import { describeStores } from './stores.js'

const main = async (): Promise<void> => {
  const environment = parseEnvironment()
  const host = await startHost(environment)
  let isStopping = false
  const stop = (signal: string): void => {
    if (isStopping) return
    isStopping = true
    console.log(`${signal}: finishing requests in flight …`)
    host.stop().then((outcome) => {
      console.log(outcome === 'finished' ? 'stopped' : 'stopped, and aborted requests that did not finish in time')
      process.exit(0)
    }, fail)
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stop)
  console.log(describeStores(environment))
  if (environment.secret === undefined) {
    console.log('JWT_AUTH_SECRET is not set: the secret is random, and access tokens end with this process.')
  }
  console.log(`listening on ${host.origin}`)
  console.log(describeUsage(host.origin + environment.basePath))
}

const fail = (error: unknown): void => {
  console.error(error instanceof StartError ? `host-app: ${error.message}` : error)
  process.exit(1)
}

/**
 * Returns lines to paste into a shell. Each comment says what the next line shows. The comments have no quotes and no `?`, which zsh
 * would interpret.
 */
const describeUsage = (baseUrl: string): string => `
Open in a browser to try everything on one page: ${baseUrl}/

Or paste these lines into a POSIX shell (on Windows: Git Bash or WSL).

  [ -z "\${ZSH_VERSION-}" ] || setopt interactivecomments
  read_pair() { node -p 'JSON.parse(process.argv[1])[process.argv[2]]' "$PAIR" "$1"; }
  show_pair() { node -p 'JSON.stringify({ ...JSON.parse(process.argv[1]), access_token: undefined })' "$PAIR"; }

  # 200: demo is logged in and has a pair of tokens. access_token is omitted, because it equals token.
  PAIR=$(curl -sS -w '%{stderr}HTTP %{http_code}\\n' '${baseUrl}/jwt-auth/v1/token' -H 'Content-Type: application/json' -d '{"username":"demo","password":"correct horse battery staple"}') && show_pair

  # 200: the access token opens a guarded route.
  ${requestReports(baseUrl)}

  # 200: the refresh token is exchanged for a new pair.
  PAIR=$(curl -sS -w '%{stderr}HTTP %{http_code}\\n' '${baseUrl}/jwt-auth/v1/token/refresh' -H 'Content-Type: application/json' -d "{\\"refresh_token\\":\\"$(read_pair refresh_token)\\"}") && show_pair

  # 200: the session is ended, as a logout does.
  curl -sS -w '\\nHTTP %{http_code}\\n' -X POST '${baseUrl}/jwt-auth/v1/token/revoke' -H "Authorization: Bearer $(read_pair token)"

  # 401: the token is refused now, although it has not expired.
  ${requestReports(baseUrl)}

Stop with Ctrl-C.
`

const requestReports = (baseUrl: string): string =>
  `curl -sS -w '\\nHTTP %{http_code}\\n' '${baseUrl}/api/reports' -H "Authorization: Bearer $(read_pair token)"`

main().catch(fail)
