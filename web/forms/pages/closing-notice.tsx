import { useEffect, useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import { api } from '../model/api.ts'
import { findNotice } from '../model/closing.ts'
import { texts } from '../texts/words.ts'
import { Banner } from './banner.tsx'

/** Warns before the session ends. An idle customer can stay; after half a day the link has to be opened again. */
export function ClosingNotice() {
  const { store } = useForm()
  const [now, setNow] = useState(Date.now())
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const { closing } = store
  const notice = closing && !store.isEnded && findNotice(closing, now)
  if (!notice) return null
  if (notice === 'last') {
    const time = new Intl.DateTimeFormat(texts.locale, { timeStyle: 'short' }).format(new Date(closing.latestMs))
    return <Banner key={notice} role="alert" text={texts.closingForGood(time)} />
  }
  const stay = async () => {
    const state = await api.readState().catch(() => undefined)
    setFailed(state === undefined)
    if (state) store.stayed(state)
  }
  const text = hasFailed ? `${texts.closing} ${texts.loadFailedHint}` : texts.closing
  return <Banner key={notice} role="alert" text={text} action={{ name: texts.stay, run: () => void stay() }} />
}
