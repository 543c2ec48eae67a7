import { createAuthClient } from '@jwt-auth/client'

const { API_ORIGIN = 'http://localhost:3000', API_USERNAME = '', API_PASSWORD = '' } = process.env

const auth = createAuthClient({ baseUrl: `${API_ORIGIN}/jwt-auth/v1` })

await auth.login({ username: API_USERNAME, password: API_PASSWORD })
try {
  // The access token may expire between two reports.
  for (const name of process.argv.slice(2)) {
    const response = await auth.fetch(`/reports/${name}`)
    if (!response.ok) throw new Error(`The report ${name} failed with ${response.status}.`)
    const { title } = await response.json()
    process.stdout.write(`${title}\n`)
  }
} finally {
  await auth.logout()
}
