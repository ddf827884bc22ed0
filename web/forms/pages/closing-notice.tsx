import { useEffect, useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import { activity, api } from '../model/api.ts'
import { texts } from '../texts/words.ts'

const warnAfterMs = 28 * 60_000

/** Warns a customer who was idle before the session ends, and lets them stay. */
export function ClosingNotice() {
  const { store } = useForm()
  const [isClosing, setClosing] = useState(false)
  useEffect(() => {
    let seen = { renewals: activity.renewals, atMs: Date.now() }
    const look = () => {
      if (seen.renewals !== activity.renewals) seen = { renewals: activity.renewals, atMs: Date.now() }
      setClosing(Date.now() - seen.atMs > warnAfterMs)
    }
    const timer = setInterval(look, 5_000)
    return () => clearInterval(timer)
  }, [])
  const stay = async () => {
    const state = await api.readState().catch(() => undefined)
    if (state) store.accept(state)
    setClosing(false)
  }
  if (!isClosing || store.isEnded) return null
  return (
    <p class="banner" role="alert">
      {texts.closing}{' '}
      <button type="button" class="link" onClick={() => void stay()}>
        {texts.stay}
      </button>
    </p>
  )
}
