/** The first `max` code units of a text, without half of a character at the end: many programs refuse an answer with one. */
export const cutText = (text: string, max: number): string => text.slice(0, max).replace(/\p{Cs}$/u, '');
