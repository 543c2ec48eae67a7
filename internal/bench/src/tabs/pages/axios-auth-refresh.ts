import axios from 'axios'
import { createAuthRefresh } from 'axios-auth-refresh'
import { expose, origin } from './tab-page.js'

interface Tokens {
  readonly token: string
  readonly refresh_token: string
}

// The refresh function of the README, for a server with refresh tokens in bodies.
const store: { [name: string]: string } = Reflect.get(globalThis, 'localStorage')
const api = axios.create({ baseURL: origin, validateStatus: (status) => status < 300 })

const save = ({ token, refresh_token }: Tokens): void => {
  store['token'] = token
  store['refresh_token'] = refresh_token
}

api.interceptors.request.use((config) => {
  config.headers.set('Authorization', `Bearer ${store['token']}`)
  return config
})
// The package has the types of axios for CommonJS.
createAuthRefresh(api as unknown as Parameters<typeof createAuthRefresh>[0], async () => {
  const { data } = await axios.post<Tokens>(`${origin}/jwt-auth/v1/token/refresh`, {
    refresh_token: store['refresh_token'],
  })
  save(data)
})

expose({
  logIn: async (username, password) => {
    save((await axios.post<Tokens>(`${origin}/jwt-auth/v1/token`, { username, password })).data)
  },
  request: async () => (await api.get('/reports')).status,
})
