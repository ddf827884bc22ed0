import { base, formId } from './api.ts'
import { parentOrigin } from './parent.ts'

/** `leaving`: the customer leaves, and the session is not over yet. */
type News = 'leaving' | 'left' | 'opened'

/**
 * The windows of this browser share one session, in a cookie: they hear when one of them ends it, or has a new one. Frames
 * have a session of their own.
 */
const channel = new BroadcastChannel(`svc form ${base} ${parentOrigin}`)

export function tellWindows(news: News): void {
  channel.postMessage({ news, formId })
}

/** Follows the windows of the same form. Another form has another session. */
export function followWindows(react: Record<News, () => void>): void {
  channel.onmessage = ({ data }: MessageEvent<{ news: News; formId: string }>) => {
    if (data.formId === formId) react[data.news]?.()
  }
}
