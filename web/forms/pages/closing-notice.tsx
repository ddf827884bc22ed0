import { useEffect, useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import { api } from '../model/api.ts'
import { texts } from '../texts/words.ts'

const warnMs = 2 * 60_000
/** The last end of a session cannot be moved, so the customer hears of it in time to finish a page. */
const warnOfLastMs = 10 * 60_000

/** Warns before the session ends. An idle customer can stay; after half a day the link has to be opened again. */
export function ClosingNotice() {
  const { store } = useForm()
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const { closing } = store
  if (!closing || store.isEnded) return null
  if (closing.latestMs - now < warnOfLastMs) {
    const time = new Intl.DateTimeFormat(texts.locale, { timeStyle: 'short' }).format(new Date(closing.latestMs))
    return (
      <p class="banner" role="alert">
        {texts.closingForGood(time)}
      </p>
    )
  }
  if (closing.atMs - now > warnMs) return null
  const stay = async () => {
    const state = await api.readState().catch(() => undefined)
    if (state) store.stayed(state)
  }
  return (
    <p class="banner" role="alert">
      {texts.closing}{' '}
      <button type="button" class="link" onClick={() => void stay()}>
        {texts.stay}
      </button>
    </p>
  )
}
