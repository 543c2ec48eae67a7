/**
 * Returns lines to paste into a shell. Each comment says what the next line shows. The comments have no quotes and no `?`, which zsh
 * would interpret.
 */
export const describeUsage = (baseUrl: string): string => `
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
