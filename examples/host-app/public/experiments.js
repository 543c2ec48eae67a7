import { showDevices } from './devices.js'
import { create, find, onClick, onSubmit, show } from './dom.js'
import { Drawing } from './drawing.js'
import { findReason } from './ended-session.js'
import { adopt, forgetSecondSession, getSecondSession, nameOf, openSecondSession, refresh } from './second-session.js'

/** @typedef {import('./drawing.js').Step} Step */
/** @typedef {import('./second-session.js').SecondSession} SecondSession */

/** @param {string} name */
const readSetting = (name) => document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''

/** How long a replaced refresh token is accepted. */
const graceSeconds = Number(readSetting('refresh-grace-seconds'))
const grace = `${graceSeconds} ${graceSeconds === 1 ? 'second' : 'seconds'}`
const otherInstance = readSetting('other-instance')

/** @type {Drawing} */
let drawing

/**
 * Shows a step in the drawing and in words.
 *
 * @param {Step} step
 * @param {string} sentence
 */
const record = (step, sentence) => {
  drawing.add(step)
  const item = create('li', {}, sentence)
  find('steps').append(item)
  item.scrollIntoView({ block: 'nearest' })
}

/** Connects the elements of the section. */
export const startExperiments = () => {
  find('grace').textContent = grace
  find('other-instance-missing').hidden = otherInstance !== ''
  find('revoke-elsewhere').hidden = otherInstance === ''
  find('other-instance').textContent = otherInstance === '' ? '' : `The other instance is ${otherInstance}.`

  onSubmit('open-second', async ({ username = '', password = '' }, form) => {
    show('')
    await openSecondSession(username, password)
    form.reset()
    startDrawing()
    const { refreshToken } = requireSession()
    record(
      { kind: 'exchange', request: 'sign in', response: nameOf(refreshToken), outcome: 'received' },
      `The page signs in and receives the refresh token ${nameOf(refreshToken)}.`,
    )
    showState()
    await showDevices()
    find('experiments').focus()
  })

  onExperiment('lose-response', loseResponse)
  onExperiment('five-tabs', refreshInFiveTabs)
  onExperiment('old-token', useOldToken)
  onExperiment('revoke-elsewhere', revokeElsewhere)
  showState()
}

/** Forgets the second session when its user signs out. */
export const clearExperiments = () => {
  forgetSecondSession()
  showLife(false)
  showState()
}

const startDrawing = () => {
  const parties = ['This page', 'Server', ...(otherInstance === '' ? [] : ['Other server'])]
  const svg = document.getElementById('drawing')
  if (svg instanceof SVGSVGElement) drawing = new Drawing(svg, parties)
  find('steps').replaceChildren()
  showLife(true)
}

/** @param {boolean} isShown */
const showLife = (isShown) => {
  find('life').hidden = !isShown
  find('life-missing').hidden = isShown
}

const showState = () => {
  const isOpen = getSecondSession() !== undefined
  find('open-second').hidden = isOpen
  find('second-open').hidden = !isOpen
}

/**
 * @param {string} id the id of its button
 * @param {(session: SecondSession) => Promise<void>} run
 */
const onExperiment = (id, run) =>
  onClick(find(id), async () => {
    show('')
    const session = getSecondSession()
    if (session === undefined) {
      show('Open a second session first: enter your password.')
      find('second-password').focus()
      return
    }
    if (isRunning) return
    isRunning = true
    try {
      await run(session)
    } finally {
      isRunning = false
    }
  })

let isRunning = false

const requireSession = () => {
  const session = getSecondSession()
  if (session === undefined) throw new Error('There is no second session.')
  return session
}

/** @param {SecondSession} session */
const loseResponse = async ({ id, refreshToken }) => {
  const sent = nameOf(refreshToken)
  const lost = await refresh(refreshToken)
  if (lost.status !== 200) return showEnd(id, sent, lost.status)
  record(
    { kind: 'exchange', request: `refresh ${sent}`, response: 'lost', outcome: 'lost' },
    `The page sends ${sent}. The server replaces the token, but its response is lost: the page throws it away unread.`,
  )
  const retried = await refresh(refreshToken)
  if (retried.status !== 200) return showEnd(id, sent, retried.status)
  adopt(retried.body)
  const received = nameOf(retried.body.refresh_token)
  const isSame = retried.body.refresh_token === lost.body.refresh_token
  record(
    { kind: 'exchange', request: `refresh ${sent} again`, response: received, outcome: 'received' },
    `The page sends ${sent} again and receives ${received}, ${isSame ? 'the same token as' : 'another token than'} in the lost response. The session continues.`,
  )
}

/** @param {SecondSession} session */
const refreshInFiveTabs = async ({ id, refreshToken }) => {
  const sent = nameOf(refreshToken)
  const responses = await Promise.all(Array.from({ length: 5 }, () => refresh(refreshToken)))
  const refused = responses.find(({ status }) => status !== 200)
  if (refused !== undefined) return showEnd(id, sent, refused.status)
  const tokens = new Set(responses.map(({ body }) => body.refresh_token))
  for (const { body } of responses) adopt(body)
  const received = [...tokens].map(nameOf).join(', ')
  record(
    { kind: 'exchange', request: `5 × refresh ${sent}`, response: `5 × ${received}`, outcome: 'received', count: 5 },
    `Five tabs send ${sent} concurrently. All five receive ${received}. (The client would send one request, because its tabs share a lock.)`,
  )
}

/** @param {SecondSession} session */
const useOldToken = async ({ id, refreshToken }) => {
  const old = nameOf(refreshToken)
  const response = await refresh(refreshToken)
  if (response.status !== 200) return showEnd(id, old, response.status)
  adopt(response.body)
  const current = response.body.refresh_token
  record(
    { kind: 'exchange', request: `refresh ${old}`, response: nameOf(current), outcome: 'received' },
    `The page sends ${old} and receives ${nameOf(current)}. ${old} is accepted for another ${grace}.`,
  )
  await countDown(graceSeconds, old)
  record({ kind: 'pause', text: `${graceSeconds} s later: ${old} is too old` }, `After ${grace}, ${old} is too old.`)
  const replayed = await refresh(refreshToken)
  record(
    { kind: 'exchange', request: `refresh ${old}`, response: String(replayed.status), outcome: 'refused' },
    `The page sends ${old}, as a thief with a copy would. The server responds with ${replayed.status} and ends the session, because it cannot tell the thief from the user.`,
  )
  const last = await refresh(current)
  await showEnd(id, nameOf(current), last.status)
}

/** @param {SecondSession} session */
const revokeElsewhere = async ({ id, accessToken }) => {
  const authorization = { headers: { Authorization: `Bearer ${accessToken}` } }
  const response = await fetch(new URL('api/other-instance/revoke', document.baseURI), {
    method: 'POST',
    ...authorization,
  })
  if (!response.ok) {
    const { code, message } = await response.json()
    throw new Error(`${response.status} ${code}: ${message}`)
  }
  record(
    { kind: 'exchange', request: 'revoke', response: String(response.status), outcome: 'received', isElsewhere: true },
    `The session is revoked on the other instance, ${otherInstance}.`,
  )
  const { status } = await fetch(new URL('api/reports', document.baseURI), authorization)
  record(
    { kind: 'exchange', request: 'guarded route', response: String(status), outcome: 'refused' },
    `This instance refuses the access token immediately (${status}), although the token has not expired.`,
  )
  await finish(id)
}

/**
 * Shows that a refresh was refused because the session has ended, and why.
 *
 * @param {string} id
 * @param {string} sent
 * @param {number} status
 */
const showEnd = async (id, sent, status) => {
  record(
    { kind: 'exchange', request: `refresh ${sent}`, response: String(status), outcome: 'refused' },
    `The page sends ${sent}. The server responds with ${status}.`,
  )
  await finish(id)
}

/** @param {string} id */
const finish = async (id) => {
  const reason = await findReason(id)
  // A refusal for another reason, such as a limit: the session continues.
  if (reason === undefined) return
  record({ kind: 'end', text: `ended: ${reason.code}` }, `The session has ended: ${reason.text}`)
  forgetSecondSession()
  showState()
  await showDevices()
}

/**
 * Shows the seconds that are left. Resolves after them.
 *
 * @param {number} seconds
 * @param {string} old
 */
const countDown = (seconds, old) => {
  // The server has replaced the token before the page received the response. The clocks may differ by the rounding of a timer.
  const endsAt = performance.now() + seconds * 1_000 + 100
  const progress = find('countdown-progress', HTMLProgressElement)
  progress.max = seconds
  find('countdown').hidden = false
  find('countdown').scrollIntoView({ block: 'nearest' })
  /** @type {Promise<void>} */
  const passed = new Promise((resolve) => {
    const show = () => {
      const left = (endsAt - performance.now()) / 1_000
      progress.value = seconds - left
      find('countdown-text').textContent = `${Math.max(0, Math.ceil(left))} s until the server no longer accepts ${old}`
      if (left <= 0) resolve()
      else setTimeout(show, 200)
    }
    show()
  })
  return passed.finally(() => {
    find('countdown').hidden = true
  })
}
