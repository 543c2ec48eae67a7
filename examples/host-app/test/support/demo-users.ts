/** One of the two users of every new site. */
export interface DemoUser {
  readonly id: number
  readonly username: string
  readonly password: string
  readonly email: string
  readonly nicename: string
  readonly displayName: string
}

export const demo: DemoUser = {
  id: 1,
  username: 'demo',
  password: 'correct horse battery staple',
  email: 'demo@example.com',
  nicename: 'demo',
  displayName: 'Demo User',
}

export const jane: DemoUser = {
  id: 2,
  username: 'jane',
  password: 'another long passphrase',
  email: 'jane@example.com',
  nicename: 'jane',
  displayName: 'Jane Roe',
}
