/** Lines to paste into a shell once the host app listens. */
export const describeUsage = (baseUrl: string): string => `
Try it, line by line:

  PAIR=$(curl -s ${baseUrl}/jwt-auth/v1/token -H 'Content-Type: application/json' -d '{"username":"demo","password":"correct horse battery staple"}'); echo "$PAIR"
  read_pair() { node -p 'JSON.parse(process.argv[1])[process.argv[2]]' "$PAIR" "$1"; }

  curl -s ${baseUrl}/api/reports -H "Authorization: Bearer $(read_pair token)"
  PAIR=$(curl -s ${baseUrl}/jwt-auth/v1/token/refresh -H 'Content-Type: application/json' -d "{\\"refresh_token\\":\\"$(read_pair refresh_token)\\"}"); echo "$PAIR"
  curl -s -X POST ${baseUrl}/jwt-auth/v1/token/revoke -H "Authorization: Bearer $(read_pair token)"
  curl -s ${baseUrl}/api/reports -H "Authorization: Bearer $(read_pair token)"

Stop with Ctrl-C.
`
