import type { Texts } from './en.ts'

export const fr: Texts = {
  title: 'Vérification',
  languages: 'Langue',
  loading: 'Chargement de votre formulaire…',
  loadFailed: 'Le formulaire n’a pas pu être chargé. Vérifiez votre connexion et rechargez cette page.',
  noScript: [
    'JavaScript est désactivé',
    'Ce formulaire nécessite JavaScript. Activez-le dans votre navigateur et rouvrez votre lien.',
  ],
  sessionEnded: [
    'Rouvrez votre lien',
    'Pour votre sécurité, ce formulaire se ferme au bout de 30 minutes. Vos réponses sont enregistrées : ouvrez le lien que vous avez reçu et continuez.',
  ],
  tooMany: ['Veuillez patienter', 'Trop de requêtes proviennent de votre réseau. Réessayez dans une minute.'],
  unavailable: ['Le formulaire n’est pas disponible', 'Veuillez réessayer dans quelques minutes.'],
  notBuilt: [
    'Le formulaire n’est pas disponible',
    'Veuillez réessayer dans quelques minutes. L’exploitant doit d’abord créer les pages.',
  ],
  badLink: [
    'Ce lien ne fonctionne pas',
    'Il est peut-être incomplet, ou a été remplacé par un lien plus récent. Demandez un nouveau lien à l’entreprise qui vous l’a envoyé.',
  ],
  notHere: [
    'Ce formulaire ne peut pas être affiché ici',
    'L’entreprise qui vous a envoyé le lien ne connaît pas la page qui l’entoure. Ouvrez le lien dans sa propre fenêtre.',
  ],
  noCookies: [
    'Ouvrez cette page dans sa propre fenêtre',
    'Votre navigateur ne conserve pas les cookies d’une page intégrée à une autre. Sans eux, elle ne peut pas être affichée ici en toute sécurité.',
  ],
  openWindow: 'Ouvrir dans une nouvelle fenêtre',
  help: 'Aide',
  noFile: ['Fichier introuvable', 'Ce fichier n’existe pas.'],
  bank: {
    title: 'Compte bancaire',
    sessionEnded: [
      'Rouvrez votre lien',
      'Pour votre sécurité, ce formulaire se ferme au bout de 30 minutes. Ouvrez le lien que vous avez reçu et continuez.',
    ],
  },
}
