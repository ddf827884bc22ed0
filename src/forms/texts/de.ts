import type { Texts } from './en.ts'

export const de: Texts = {
  title: 'Verifizierung',
  languages: 'Sprache',
  loading: 'Ihr Formular wird geladen…',
  loadFailed: 'Das Formular konnte nicht geladen werden. Prüfen Sie Ihre Verbindung und laden Sie diese Seite neu.',
  noScript: [
    'JavaScript ist ausgeschaltet',
    'Dieses Formular benötigt JavaScript. Schalten Sie es in Ihrem Browser ein und öffnen Sie Ihren Link erneut.',
  ],
  sessionEnded: [
    'Öffnen Sie Ihren Link erneut',
    'Zu Ihrer Sicherheit wird dieses Formular nach 30 Minuten geschlossen. Ihre Angaben sind gespeichert: Öffnen Sie den Link, den Sie erhalten haben, und fahren Sie fort.',
  ],
  tooMany: [
    'Bitte warten Sie einen Moment',
    'Aus Ihrem Netz kamen zu viele Anfragen. Versuchen Sie es in einer Minute erneut.',
  ],
  unavailable: ['Das Formular ist nicht verfügbar', 'Bitte versuchen Sie es in einigen Minuten erneut.'],
  notBuilt: [
    'Das Formular ist nicht verfügbar',
    'Bitte versuchen Sie es in einigen Minuten erneut. Der Betreiber muss zuerst die Seiten erstellen.',
  ],
  badLink: [
    'Dieser Link funktioniert nicht',
    'Er ist vielleicht unvollständig oder wurde durch einen neueren ersetzt. Bitten Sie das Unternehmen, das ihn gesendet hat, um einen neuen Link.',
  ],
  notHere: [
    'Dieses Formular kann hier nicht gezeigt werden',
    'Das Unternehmen, das Ihnen den Link gesendet hat, kennt die umgebende Seite nicht. Öffnen Sie den Link in einem eigenen Fenster.',
  ],
  noCookies: [
    'Öffnen Sie diese Seite in einem eigenen Fenster',
    'Ihr Browser speichert keine Cookies für eine Seite innerhalb einer anderen. Ohne sie kann die Seite hier nicht sicher gezeigt werden.',
  ],
  openWindow: 'In neuem Fenster öffnen',
  help: 'Hilfe',
  noFile: ['Keine solche Datei', 'Diese Datei gibt es nicht.'],
  bank: {
    title: 'Bankkonto',
    sessionEnded: [
      'Öffnen Sie Ihren Link erneut',
      'Zu Ihrer Sicherheit wird dieses Formular nach 30 Minuten geschlossen. Öffnen Sie den Link, den Sie erhalten haben, und fahren Sie fort.',
    ],
  },
}
