import { createAuthClient } from '@jwt-auth/client'
import { createApp, onScopeDispose, ref, shallowRef, watch } from 'vue'

const auth = createAuthClient({ baseUrl: `${location.origin}/jwt-auth/v1` })

/** Returns the status and the user, which are the same in all tabs. */
const useAuth = () => {
  const snapshot = shallowRef(auth.getSnapshot())
  onScopeDispose(
    auth.subscribe(() => {
      snapshot.value = auth.getSnapshot()
    }),
  )
  return snapshot
}

const app = createApp({
  setup() {
    // biome-ignore lint/correctness/useHookAtTopLevel: this is Vue, not React
    const snapshot = useAuth()
    const [username, password, report, failure] = [ref(''), ref(''), ref(''), ref('')]
    watch(snapshot, () => {
      report.value = ''
    })

    const run = async (action: () => Promise<unknown>): Promise<void> => {
      failure.value = ''
      await action().catch((error: Error) => {
        failure.value = error.message
      })
    }
    const logIn = async (): Promise<void> => {
      await auth.login({ username: username.value, password: password.value })
      password.value = ''
    }
    const show = async (): Promise<void> => {
      const response = await auth.fetch('/reports/may')
      if (response.ok) report.value = (await response.json()).title
    }
    return { snapshot, username, password, report, failure, run, logIn, show, logOut: auth.logout }
  },
  template: `
    <form v-if="snapshot.status === 'unauthenticated'" @submit.prevent="run(logIn)">
      <label>User name <input v-model="username" autocomplete="username" required></label>
      <label>Password <input v-model="password" type="password" autocomplete="current-password" required></label>
      <button type="submit">Log in</button>
    </form>
    <section v-if="snapshot.user">
      <p>{{ snapshot.user.displayName }}</p>
      <button type="button" @click="run(show)">Show report</button>
      <button type="button" @click="run(logOut)">Log out</button>
      <p>{{ report }}</p>
    </section>
    <p role="alert">{{ failure }}</p>`,
})

app.mount(document.body.appendChild(document.createElement('main')))
