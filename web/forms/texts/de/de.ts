import type { Texts } from '../en.ts'
import { bank } from './bank.ts'
import { codes, suggestions } from './codes.ts'
import { exactIssues, issues, issuesAbout } from './issues.ts'
import { labels, postalLabels, proofLabels, regionLabels } from './labels.ts'
import { problems, refusedFiles } from './problems.ts'

/** Every text of the forms, in German. */
export const de: Texts = {
  locale: 'de',
  direction: 'ltr',
  languages: 'Sprache',
  help: 'Hilfe',
  languageFailed: 'Die Sprache konnte nicht geändert werden. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  title: 'Verifizierung',
  brand: 'Identitätsprüfung',
  secure: 'Verschlüsselt und vertraulich',
  step: (at, of) => `Schritt ${at} von ${of}`,
  part: (at, of) => `Teil ${at} von ${of}`,
  back: 'Zurück',
  continue: 'Weiter',
  optional: '(freiwillig)',
  choose: 'Bitte wählen…',
  yes: 'Ja',
  no: 'Nein',
  change: 'Ändern',
  remove: 'Entfernen',
  edit: 'Bearbeiten',
  close: 'Schließen',
  saved: 'Alle Angaben gespeichert',
  saving: 'Wird gespeichert…',
  notSaved: 'Noch nicht gespeichert – wir versuchen es weiter',
  changedElsewhere:
    'Sie haben dieses Formular auf einem anderen Gerät geändert. Es werden die neuesten Angaben gezeigt.',
  lostElsewhere: {
    moved: (fields) =>
      `Auf einem anderen Gerät haben Sie eine Person oder ein Dokument entfernt. Folgendes wurde hier nicht gespeichert; bitte geben Sie es erneut an, falls es noch nötig ist: ${fields}.`,
    changed: (fields) =>
      `Auf einem anderen Gerät haben Sie diese Angaben später geändert, und jene gelten. Die Eingaben hier wurden nicht gespeichert: ${fields}.`,
    sent: (fields) => `Das Formular wurde inzwischen abgeschickt, ohne die letzten Eingaben hier: ${fields}.`,
  },
  removalOf: (name) => `das Entfernen von ${name}`,
  given: 'Angegeben – zu Ihrer Sicherheit verborgen',
  replaceGiven: 'Geben Sie es nur erneut ein, wenn Sie es ändern möchten.',
  notGiven: 'Nicht angegeben',
  errorTitle: 'Bitte prüfen Sie Ihre Angaben',
  confirmTitle: 'Ist das richtig?',
  confirmHint: 'Wenn die Angabe richtig ist, lassen Sie sie so und fahren Sie fort.',
  loadFailed: 'Das Formular konnte nicht geladen werden',
  loadFailedHint: 'Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  tryAgain: 'Erneut versuchen',
  closing: 'Zu Ihrer Sicherheit wird dieses Formular in etwa zwei Minuten geschlossen.',
  closingForGood: (time) =>
    `Zu Ihrer Sicherheit wird dieses Formular um ${time} geschlossen. Ihre Angaben sind gespeichert: Öffnen Sie danach Ihren Link erneut, um fortzufahren.`,
  stay: 'Bleiben',
  leave: 'Formular verlassen',
  sessionEnded: 'Öffnen Sie Ihren Link erneut',
  sessionEndedHint:
    'Dieses Formular wurde zu Ihrer Sicherheit geschlossen. Ihre Angaben sind gespeichert: Öffnen Sie den Link, den Sie erhalten haben, und fahren Sie fort.',
  endedUnsaved: 'Ihre letzten Angaben sind noch nicht gespeichert.',
  endedUnsavedHint:
    'Dieses Formular wurde zu Ihrer Sicherheit geschlossen. Lassen Sie dieses Fenster offen und öffnen Sie den Link, den Sie erhalten haben, in einem anderen Fenster dieses Browsers: Dann werden Ihre Angaben hier von selbst gespeichert.',
  saveNow: 'Jetzt speichern',
  notOpenYet:
    'Das hat nicht funktioniert. Prüfen Sie Ihre Verbindung, öffnen Sie Ihren Link in diesem Browser und versuchen Sie es erneut.',
  leaving: 'Wird verlassen…',
  leaveFailed:
    'Ihre Angaben sind hier verborgen, aber das Formular konnte noch nicht geschlossen werden. Wir versuchen es weiter, solange dieses Fenster offen ist. Bis dahin könnte jemand mit diesem Browser das Formular öffnen, höchstens 30 Minuten lang.',
  leaveUnsaved:
    'Ihre letzten Angaben sind noch nicht gespeichert. Dieses Fenster behält sie, bis es geschlossen wird, und speichert sie, bevor es das Formular schließt.',
  cannotContinue:
    'Ihre letzten Angaben sind noch nicht gespeichert. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut: Ihre Eingaben bleiben hier.',
  date: { day: 'Tag', month: 'Monat', year: 'Jahr' },
  characters: { one: '{count} Zeichen', other: '{count} Zeichen' },
  range: {
    under: (amount) => `Weniger als ${amount}`,
    between: (from, to) => `${from} bis ${to}`,
    over: (amount) => `Mehr als ${amount}`,
    atLeast: (amount) => `${amount} oder mehr`,
  },
  about: (owner, text) => `${owner}: ${text}`,

  steps: {
    country: ['Wo wohnen Sie?', 'Das weitere Formular richtet sich nach Ihrem Land.'],
    about: ['Angaben zur Person', 'Genau wie in Ihrem Ausweisdokument.'],
    contact: ['Kontakt und Wohnanschrift', 'Wo Sie tatsächlich wohnen – kein Postfach.'],
    number: ['Steuer- oder Ausweisnummer', 'Falls Ihr Land Ihnen eine zugeteilt hat. Sie beschleunigt die Prüfung.'],
    money: ['Beruf und Geld', 'Das Gesetz verlangt, dass wir den Zweck Ihrer Nutzung kennen.'],
    document: ['Ausweisdokument', 'Ein Reisepass oder beide Seiten einer Karte. Alle vier Ecken müssen sichtbar sein.'],
    check: ['Prüfen Sie Ihre Angaben', 'Bis zum Absenden können Sie alles ändern.'],
    place: ['Wo ist das Unternehmen registriert?', 'Das weitere Formular richtet sich nach diesem Land.'],
    business: ['Angaben zum Unternehmen', 'Wie in der amtlichen Registrierung.'],
    addresses: ['Anschrift des Unternehmens', 'Der eingetragene Sitz und, falls abweichend, der Ort der Tätigkeit.'],
    activity: ['Tätigkeit und Geld', 'Das Gesetz verlangt, dass wir die Tätigkeit des Unternehmens kennen.'],
    people: [
      'Eigentümer und Leitung',
      'Alle, denen ein Viertel oder mehr gehört, und eine Person, die das Unternehmen kontrolliert.',
    ],
    papers: ['Unternehmensdokumente', 'Ein Nachweis der Registrierung, zum Beispiel der Gesellschaftsvertrag.'],
    'person-about': ['Angaben', 'Genau wie im Ausweisdokument.'],
    'person-address': ['Wohnanschrift', 'Wo diese Person tatsächlich wohnt.'],
    'person-document': [
      'Ausweisdokument',
      'Ein Reisepass oder beide Seiten einer Karte. Alle vier Ecken müssen sichtbar sein.',
    ],
  },

  labels,
  proofLabels,
  regionLabels,
  postalLabels,
  unnamed: 'Diese Angabe',

  postalHint: (example) => `Zum Beispiel ${example}.`,
  hints: {
    phoneNumber: 'Mit Landesvorwahl, zum Beispiel +1 415 555 0123.',
    dateOfBirth: 'Zum Beispiel 17. Mai 1990.',
    frontIdImage: 'Die Seite mit dem Foto oder die Fotoseite des Reisepasses.',
    proofOfAddressImage: 'Nicht älter als drei Monate, mit Ihrem Namen und Ihrer Anschrift.',
    ownershipPercentage: 'Zum Beispiel 25. Geben Sie 0 für eine Person ohne Anteil ein.',
    website: 'Zum Beispiel https://example.com.',
    highRiskActivities: 'Lassen Sie alles leer, wenn nichts zutrifft.',
    'documents[].expirationDate': 'Das Dokument muss noch gültig sein.',
  },

  problems,
  codes,
  suggestions,
  issues,
  issuesAbout,
  exactIssues,
  issueOther: 'Etwas in Ihren Angaben muss noch einmal angesehen werden. Bitte prüfen Sie sie.',
  contactSupport: 'Bitte wenden Sie sich an den Kundendienst, um diese Verifizierung fortzusetzen.',

  refusals: {
    CONFLICT:
      'Das Formular wurde in einem anderen Fenster oder auf einem anderen Gerät geändert. Prüfen Sie die Angaben und senden Sie sie erneut ab.',
    PATCH_NOT_ALLOWED: 'Die Angaben werden geprüft und können jetzt nicht geändert werden.',
    RATE_LIMITED: 'Aus Ihrem Netz kamen zu viele Anfragen. Versuchen Sie es in einer Minute erneut.',
    UNAUTHORIZED:
      'Dieses Formular wurde zu Ihrer Sicherheit geschlossen. Öffnen Sie Ihren Link erneut und fahren Sie fort.',
    FORBIDDEN:
      'Dieses Formular wurde zu Ihrer Sicherheit geschlossen. Öffnen Sie Ihren Link erneut und fahren Sie fort.',
    OTHER:
      'Das hat nicht funktioniert, und es liegt nicht an Ihnen. Versuchen Sie es in einer Minute erneut: Ihre Angaben sind gespeichert.',
  },
  refusedFields: (fields) => `Diese Angaben können so nicht verwendet werden: ${fields}. Bitte prüfen Sie sie.`,

  files: {
    add: 'Datei auswählen',
    camera: 'Foto aufnehmen',
    drop: 'oder hier ablegen',
    replace: 'Ersetzen',
    remove: 'Entfernen',
    rules: 'JPG, PNG, PDF, HEIC oder WebP. Handyfotos passen wir von selbst an.',
    preparing: 'Das Bild wird vorbereitet…',
    uploading: (percent) => `Wird hochgeladen: ${percent}`,
    checking: 'Die Datei wird geprüft…',
    done: 'Hochgeladen',
    given: 'Früher hochgeladen',
    retrying: 'Die Verbindung wurde unterbrochen. Neuer Versuch…',
    failed: 'Das Hochladen wurde nicht abgeschlossen.',
    tryAgain: 'Erneut versuchen',
    look: 'Ist alles lesbar?',
    lookHint: 'Alle vier Ecken, keine Spiegelung, nichts abgeschnitten.',
    use: 'Dieses Bild verwenden',
    another: 'Ein anderes wählen',
    discard: 'Verwerfen',
    cancel: 'Abbrechen',
    notLoaded:
      'Ein Teil dieses Formulars konnte nicht geladen werden. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut. Geschieht es wieder, laden Sie diese Seite neu: Ihre Angaben sind gespeichert.',
    unsent: {
      looking: '{field}: Drücken Sie „Dieses Bild verwenden“, um es zu senden, oder wählen Sie ein anderes',
      failed:
        '{field}: Die Datei wurde nicht gesendet. Versuchen Sie es erneut, wählen Sie eine andere oder verwerfen Sie sie',
    },
    stillBusy: 'Eine Datei wird noch übertragen',
    leaveWithout: 'Eine Datei ist noch nicht gesendet und geht beim Verlassen verloren. Trotzdem verlassen?',
    converted: 'Wir haben Ihre Datei in ein Bild umgewandelt, das wir prüfen können.',
    pages: (from, to, of) =>
      from === to ? `Dies ist Seite ${from} von ${of}.` : `Dies sind die Seiten ${from} bis ${to} von ${of}.`,
    choosePages: 'Zu sendende Seiten',
    pageRange: (from, to) => (from === to ? `Seite ${from}` : `Seiten ${from} bis ${to}`),
    wrongType: refusedFiles.FILE_TYPE,
    tooLarge: 'Die Datei ist größer als 10 MB. Wählen Sie eine kleinere.',
    tooSmall: 'Das Bild ist zu klein, um gelesen zu werden. Nehmen Sie ein neues Foto näher am Dokument auf.',
    blank: 'Die Seite sieht leer aus. Wählen Sie eine andere Datei oder fotografieren Sie das Dokument.',
    unreadable: 'Die Datei kann nicht geöffnet werden. Wählen Sie eine andere.',
    refused: refusedFiles,
    alt: (label) => `Ihr Bild: ${label}`,
  },
  phone: {
    offer: 'Fotos mit dem Handy aufnehmen',
    title: 'Weiter auf Ihrem Handy',
    text: 'Scannen Sie diesen Code mit der Kamera Ihres Handys. Diese Seite folgt von selbst: Dateien, die Sie dort hinzufügen, erscheinen hier.',
    alt: 'QR-Code mit der Adresse dieses Formulars',
    private: 'Geben Sie diesen Code nicht weiter: Er öffnet Ihr Formular.',
    window: 'Formular in einem eigenen Fenster öffnen',
  },
  people: {
    add: 'Person hinzufügen',
    none: 'Noch keine Person hinzugefügt.',
    person: (at) => `Person ${at}`,
    page: (person, title) => `${person}: ${title}`,
    incomplete: 'Unvollständig',
    complete: 'Vollständig',
    confirmRemove: (name) => `${name} mit allen Angaben und Dateien entfernen?`,
  },
  proof: { add: 'Adressnachweis hinzufügen (freiwillig)', remove: 'Adressnachweis entfernen' },
  papers: {
    add: 'Dokument hinzufügen',
    remove: 'Dieses Dokument entfernen',
    none: 'Noch kein Dokument hinzugefügt.',
    paper: (at) => `Dokument ${at}`,
    paperOf: (owner, at) => `${owner}, Dokument ${at}`,
  },
  operating: 'Das Unternehmen ist an einer anderen Anschrift tätig',
  check: {
    submit: 'Zur Prüfung absenden',
    submitting: 'Wird gesendet…',
    declare: 'Mit dem Absenden bestätigen Sie, dass Ihre Angaben richtig und vollständig sind.',
    fileGiven: 'Datei hochgeladen',
    problems: 'Einige Angaben fehlen oder müssen berichtigt werden:',
    beside: 'Das Unternehmen, das Ihnen den Link gesendet hat, muss dies berichtigen.',
  },
  refill: {
    title: 'Einige Punkte brauchen Ihre Aufmerksamkeit',
    text: 'Bitte berichtigen Sie Folgendes. Alles andere bleibt, wie Sie es gesendet haben.',
    submit: 'Berichtigungen senden',
    support: 'Bitte wenden Sie sich an den Kundendienst',
    supportText:
      'In diesem Formular ist nichts zu berichtigen. Das Unternehmen, das Ihnen den Link gesendet hat, kann Ihnen helfen.',
    people: 'Personen und ihre Dokumente prüfen',
    papers: 'Unternehmensdokumente prüfen',
    newFile: (field) => `${field}: Bitte laden Sie eine neue Datei hoch.`,
  },
  status: {
    UNDER_REVIEW: [
      'Wir prüfen Ihre Angaben',
      'Die meisten Prüfungen dauern weniger als 10 Minuten. Sie können diese Seite schließen: Im Moment brauchen wir nichts weiter von Ihnen.',
    ],
    ACTIVE: ['Ihre Verifizierung ist abgeschlossen', 'Alles ist in Ordnung. Sie können diese Seite schließen.'],
    REJECTED: [
      'Wir konnten Sie nicht verifizieren',
      'Bei Fragen wenden Sie sich bitte an das Unternehmen, das Ihnen diesen Link gesendet hat.',
    ],
    DEACTIVATED: [
      'Dieses Konto ist geschlossen',
      'Bei Fragen wenden Sie sich bitte an das Unternehmen, das Ihnen diesen Link gesendet hat.',
    ],
  },
  review: (day) => `Eine Person sieht sich Ihre Angaben an. Sie erhalten das Ergebnis spätestens am ${day}.`,
  live: 'Diese Seite aktualisiert sich von selbst.',
  notLive: 'Diese Seite aktualisiert sich nicht mehr. Öffnen Sie Ihren Link erneut, um den neuesten Stand zu sehen.',
  sandbox: {
    ribbon: 'Testumgebung',
    fill: 'Mit Beispieldaten füllen',
    filling: 'Wird gefüllt…',
    approve: 'Annehmen',
    reject: 'Ablehnen',
    ask: 'Nachfordern',
    decide: 'Nachfordern',
    hint: 'Diese Werkzeuge gibt es im Echtbetrieb nicht.',
    failed: 'Das hat nicht funktioniert. Versuchen Sie es erneut.',
  },
  bank,
}
