import { h } from 'vue'

const steps = [
  ['Log in', 'POST /token', 'user name, password', '200: access token, refresh token'],
  ['Call your route', 'GET /reports', 'access token', '200'],
  ['Refresh', 'POST /token/refresh', 'refresh token', '200: two new tokens'],
  ['Log out', 'POST /token/revoke', 'access token', '200'],
  ['Call your route', 'GET /reports', 'the same access token', '401, on every instance'],
] as const

/** The picture of the start page: five requests and their responses. */
export const FiveSteps = () =>
  h(
    'ol',
    { class: 'steps' },
    steps.map(([title, route, sent, received]) =>
      h('li', [
        h('strong', title),
        h('code', route),
        h('span', { class: 'sent' }, sent),
        h('span', { class: 'received' }, received),
      ]),
    ),
  )
