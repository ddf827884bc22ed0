import { base } from './api.ts'

type News = 'left' | 'opened'

/** The windows of this browser share one session, in a cookie: they hear when one of them ends it, or has a new one. */
const channel = new BroadcastChannel(`svc form ${base}`)

export function tellWindows(news: News): void {
  channel.postMessage(news)
}

export function followWindows(react: Record<News, () => void>): void {
  channel.onmessage = ({ data }: MessageEvent<News>) => react[data]?.()
}
