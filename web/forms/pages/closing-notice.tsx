import { useEffect, useState } from 'preact/hooks'
import { findNotice } from '../model/closing.ts'
import type { FormStore } from '../model/store.ts'
import { formatTime } from '../texts/format.ts'
import { texts } from '../texts/words.ts'
import { Banner } from './banner.tsx'

/** `last`: the words for the end that cannot be put off. */
type Props = { session: Pick<FormStore, 'closing' | 'isEnded' | 'stay'>; last(time: string): string }

/** Warns before the session ends. An idle customer can stay; after half a day the link has to be opened again. */
export function ClosingNotice({ session, last }: Props) {
  const [now, setNow] = useState(Date.now())
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const { closing } = session
  const notice = !session.isEnded && findNotice(closing, now)
  if (!notice) return null
  if (notice === 'last') {
    return <Banner key={notice} role="alert" text={last(formatTime(new Date(closing.latestMs)))} />
  }
  const stay = async () => setFailed(!(await session.stay()))
  const text = hasFailed ? `${texts.closing} ${texts.loadFailedHint}` : texts.closing
  return <Banner key={notice} role="alert" text={text} action={{ name: texts.stay, run: () => void stay() }} />
}
