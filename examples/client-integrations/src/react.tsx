import { type AuthUser, createAuthClient } from '@jwt-auth/client'
import { dpop } from '@jwt-auth/client/dpop'
import { type ReactNode, useState, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'

const auth = createAuthClient({ baseUrl: `${location.origin}/jwt-auth/v1`, dpop: dpop() })

/** Returns the status and the user, which are the same in all tabs. */
const useAuth = () => useSyncExternalStore(auth.subscribe, auth.getSnapshot)

const App = (): ReactNode => {
  const { status, user } = useAuth()
  if (status === 'loading') return null
  return user ? <Account key={user.id} user={user} /> : <Login />
}

const Login = (): ReactNode => {
  const [failure, setFailure] = useState('')
  const logIn = (form: FormData): Promise<unknown> =>
    auth
      .login({ username: String(form.get('username')), password: String(form.get('password')) })
      .catch((error: Error) => setFailure(error.message))
  return (
    <form action={async (form) => void (await logIn(form))}>
      <label>
        User name <input name="username" autoComplete="username" required />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <button type="submit">Log in</button>
      <p role="alert">{failure}</p>
    </form>
  )
}

const Account = ({ user }: { readonly user: AuthUser }): ReactNode => {
  const [report, setReport] = useState('')
  const show = async (): Promise<void> => {
    const response = await auth.fetch('/reports/may')
    if (response.ok) setReport((await response.json()).title)
  }
  return (
    <>
      <p>{user.displayName}</p>
      <button type="button" onClick={() => show().catch((error: Error) => setReport(error.message))}>
        Show report
      </button>
      <button type="button" onClick={auth.logout}>
        Log out
      </button>
      <p>{report}</p>
    </>
  )
}

createRoot(document.body.appendChild(document.createElement('main'))).render(<App />)
